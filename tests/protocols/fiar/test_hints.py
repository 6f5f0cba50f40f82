from __future__ import annotations

from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import with_wire
from arena.protocols.hints import Evidence

ASKED = ("out", b"@ " + b"." * 42 + b"\n")


def test_who_does_not_answer_the_same_line_again_is_told_that_its_column_was_illegal() -> None:
    """It counts from 0, and remembers its own moves: it waits for a line in which its disc lies."""
    evidence = Evidence("fiar", "timeout", "no move within 30 s", reads_input=True)
    card = diagnose(with_wire(evidence, [ASKED, ("in", b"0\n"), ASKED]))
    assert card is not None
    assert (card.code, card.sentence.split(",")[0]) == ("asked_again", "`0` was refused")
    assert "wrong byte" not in dict(card.facts)  # each of them can be part of an answer


def test_a_late_answer_to_it_is_late() -> None:
    wire = [ASKED, ("in", b"0\n"), ASKED, ("in", b"1\n")]
    card = diagnose(with_wire(Evidence("fiar", "timeout", "no move within 30 s"), wire))
    assert card is not None and card.code == "answered_late"
