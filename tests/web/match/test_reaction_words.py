"""The few words that players may say with a press."""

from __future__ import annotations

from arena.web.match.reaction_words import REACTIONS, bubble


def test_they_are_few_short_and_different() -> None:
    assert len(REACTIONS) <= 6 and len(set(REACTIONS.values())) == len(REACTIONS)
    assert all(code.isalpha() and 0 < len(words) <= 16 for code, words in REACTIONS.items())


def test_nothing_stands_beside_a_name_until_something_is_said() -> None:
    assert bubble("") == "" and ">Hello</span>" in bubble("hello")
