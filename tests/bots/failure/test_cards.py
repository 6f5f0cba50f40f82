"""Cards as text and as data, and the page about every code."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.failure.cards import Card, FactLine, as_markdown, make_card
from arena.bots.failure.errors import every_error
from arena.bots.failure.evidence import words
from arena.protocols.hints import Evidence

DOCS = Path(__file__).parents[3] / "docs" / "bot-errors.md"
CARD = make_card(
    "no_line_end",
    words(Evidence("fiar", "timeout", unfinished="4")),
    (FactLine("received", "4"), FactLine("stderr", "one\ntwo")),
)


def test_a_card_reads_from_the_title_to_the_advice() -> None:
    lines = list(CARD.lines())
    assert lines[:4] == [
        "No line end yet [no_line_end]",
        "`4` came without the end of a line, so the answer was never complete.",
        "received: 4",
        "stderr: one\n    two",
    ]
    assert lines[4].startswith("advice: End every answer with \\n and flush it")


def test_what_a_bot_wrote_has_no_effect_on_a_terminal() -> None:
    card = Card("stall", "Title", "It said \x1b[2J.", "Wait.", (FactLine("stderr", "a\tb\n\x1b]52;c;aGk=\x07\u202e"),))
    title, said, facts, advice = card.lines()
    assert said == r"It said \x1b[2J."
    assert facts == "stderr: a       b\n    " + r"\x1b]52;c;aGk=\x07\u202e"
    assert (title, advice) == ("Title [stall]", "advice: Wait.")


def test_a_card_is_data() -> None:
    data = CARD.to_data()
    assert data["code"] == "no_line_end"
    assert data["facts"] == {"received": "4", "stderr": "one\ntwo"}


def test_there_is_no_card_without_a_code() -> None:
    with pytest.raises(KeyError):
        make_card("no_such_code", {})


def test_the_page_is_what_the_table_says() -> None:
    """To write it again: python -m arena.bots.failure.cards > docs/bot-errors.md"""
    assert DOCS.read_text(encoding="utf-8") == as_markdown()


def test_the_page_has_every_code_and_no_tag_of_its_own() -> None:
    page = as_markdown()
    assert all(f"`{error.code}`" in page for errors in every_error().values() for error in errors)
    assert "<" not in page
