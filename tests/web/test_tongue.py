"""What is said in frames is what Django would say, in the language of their readers."""

from __future__ import annotations

from django.utils import translation

from arena.web import tongue
from arena.web.tongue import decimal_separator, gettext, pgettext, speaking


def test_it_says_in_each_language_what_django_says() -> None:
    for language in ("de", "en", "de"):
        with translation.override(language):
            said = translation.gettext("Your turn"), translation.pgettext("kind of player", "bot")
        for _ in range(2):
            with speaking(language):
                assert (gettext("Your turn"), pgettext("kind of player", "bot")) == said
                assert decimal_separator() == {"de": ",", "en": "."}[language]
    with speaking("de"):
        assert gettext("Your turn") != "Your turn"


def test_outside_it_is_the_language_that_is_active() -> None:
    with speaking("en"):
        assert gettext("Your turn") == "Your turn"
    with translation.override("de"):
        german = translation.gettext("Your turn")
        assert gettext("Your turn") == german != "Your turn"
        with speaking("en"):
            assert gettext("Your turn") == "Your turn"
        assert gettext("Your turn") == german


def test_what_bots_have_said_does_not_fill_the_memory() -> None:
    with speaking("de"):
        for number in range(2 * tongue.MOST_KEPT):
            gettext(f"The bot has said {number}")
        assert len(tongue._tongue("de").texts) <= tongue.MOST_KEPT
        assert gettext("Your turn") != "Your turn"
