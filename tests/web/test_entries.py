"""Who takes part, and scores, in the language of the reader."""

from __future__ import annotations

from django.utils import translation

from arena.tournaments.spec import EntrySpec
from arena.web.entries import called, scored
from arena.web.words import level_name, stored_name


def test_built_in_players_and_scores_are_said_in_the_language_that_is_spoken() -> None:
    usual = EntrySpec(stored_name("club"), "builtin", "club")
    named = EntrySpec("Grandma", "builtin", "club")
    bot = EntrySpec("Built-in club", "bot", player=1)
    with translation.override("de"):
        assert [called(each) for each in (usual, named, bot)] == [
            f"{level_name('club')} (eingebaut)",
            "Grandma",
            "Built-in club",
        ]
        assert [scored(number) for number in (0.5, 7, 10.25)] == ["½", "7", "10,25"]
    before = EntrySpec("Built-in club", "builtin", "club")
    assert called(usual) == called(before) == "Built-in Club" and scored(10.25) == "10.25"
