"""The moves that a card lists as expected, in the words of the bot that reads it."""

from __future__ import annotations

import pytest

from arena.bots.failure.evidence import Passed, from_match
from arena.match.commands import Play, Start
from tests.bots.failure.test_evidence import played


def test_expected_moves_are_told_as_the_bot_writes_them() -> None:
    state, events = played("nyu-nim", Start(), Play(0, 1, "9"), variant="expanding-nim")
    found = from_match(state, events)
    assert found is not None and found.expected == "one of 1 0, 1 1, 2 0, 2 1, 3 0, 3 1"


JOINED = [("in", b"SEAT arn_k7q9\n"), ("in", b'["join","max"]'), ("out", b'["new_game","bot"]\n'), ("in", b'"OK"\n')]


@pytest.mark.parametrize(("wire", "name"), [([], "bot"), (JOINED, "max")])
def test_an_expected_turn_is_told_as_json_under_the_name_that_the_bot_gave_itself(
    wire: list[Passed], name: str
) -> None:
    moves = [Play(0, 1, "a6"), Play(1, 2, "b2"), Play(0, 3, "d4"), Play(1, 4, "e5"), Play(0, 5, "a6-c6+c5")]
    state, events = played("santorini-json", Start(), *moves, variant="santorini-6x6")
    found = from_match(state, events, (wire, ()))
    assert found is not None
    turn = f'[["move",{{"player":"{name}","id":1}},["EAST","PUT"]],["build",["WEST","PUT"]]]'
    assert found.expected == f"one of {turn} …"
