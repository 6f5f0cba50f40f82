"""Every way in which a match can end is said in a few words."""

from __future__ import annotations

import pytest
from django.utils import translation

from arena.match.endings import TERMINATIONS
from arena.web.match.ending_words import ending_words, score_and_ending


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_termination_has_words(language: str) -> None:
    with translation.override(language):
        words = {ending_words(termination, "what the log says") for termination in TERMINATIONS}
    assert len(words) == len(TERMINATIONS) and all(words)


def test_a_line_of_a_list_says_score_and_reason_and_a_foreign_reason_as_it_is() -> None:
    assert score_and_ending(0, "normal", "four in a row") == "1-0, four in a row"
    assert score_and_ending(None, "normal", "stalemate") == "1/2-1/2, stalemate"
    assert score_and_ending(None, None, "") == "running"
