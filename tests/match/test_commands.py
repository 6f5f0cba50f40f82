"""Commands: each kind of act is judged, and a refusal says why in words and in a code."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

import pytest

from arena.match.commands import (
    Abort,
    Adjudicate,
    AnswerOffer,
    Command,
    Fault,
    Flag,
    GiveHint,
    Note,
    Offer,
    Pause,
    Play,
    Refusal,
    Resign,
    Resume,
    Rule,
    Start,
    Withdraw,
)
from arena.match.decide import decide
from arena.match.state import SeatSetup, Setup, first_state

ONE_OF_EACH: list[Command] = [
    Start(),
    Play(0, 1, "4"),
    Resign(0),
    Offer(0, "draw", 0),
    AnswerOffer(0, 2, True),
    Withdraw(0, 2),
    GiveHint(0, 0, "4"),
    Flag(1),
    Fault(0, "crash", "exit code 1"),
    Abort("abort", "Ada changed her mind"),
    Adjudicate(None, "the hall is on fire", "staff 1"),
    Rule("void", None, "a fault of ours", "staff 1"),
    Note(0, {"code": "crash"}),
    Pause("storage fails"),
    Resume(),
]


def test_the_examples_are_one_of_each_kind() -> None:
    assert {type(command) for command in ONE_OF_EACH} == set(get_args(Command))


@pytest.mark.parametrize("command", ONE_OF_EACH, ids=lambda command: type(command).__name__)
def test_each_kind_of_act_is_judged(command: Command) -> None:
    state = first_state(Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob"))))
    try:
        assert isinstance(decide(state, command, datetime.now(UTC)), tuple)
    except Refusal as refusal:
        assert refusal.code in ("not_started", "not_over")


def test_a_refusal_is_a_code_for_machines_and_a_sentence_for_people() -> None:
    refusal = Refusal("busy", "Too much at once.")
    assert (refusal.code, refusal.sentence, str(refusal)) == ("busy", "Too much at once.", "Too much at once.")
