"""A log that comes back from elsewhere: what is believed of it, and what a worker cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from arena.match.commands import Abort, AnswerOffer, Command, Fault, Flag, Offer, Play, Resign, Start
from arena.match.returned import why_not
from arena.match.state import LogEvent, SeatSetup, Setup
from tests.kit.appending import the_appends

BOT = SeatSetup("left", "bot", protocol="fiar", on_illegal="lose", startup_ms=0)
SETUP = Setup("connect-four-7x6", (BOT, BOT._replace(name="right")), clock="1m+1s", opening="4", pairing=7)
# After an opening of one move the second seat is to move.
MOVES: list[Command] = [Start(), *[Play((n + 1) % 2, n + 2, text) for n, text in enumerate("34343")]]
WON: list[Command] = [*MOVES, Play(0, 7, "4")]


def a_log(commands: Sequence[Command], setup: Setup = SETUP) -> list[LogEvent]:
    return [event for events in the_appends(commands, setup) for event in events]


def said(log: list[LogEvent], number: int, **columns: Any) -> list[LogEvent]:
    """The same log with other columns in the event with this index."""
    changed = log[number]._replace(**columns)
    return [changed if event is log[number] else event for event in log]


def test_what_players_can_bring_about_is_believed() -> None:
    endings: list[Command] = [
        Resign(0),
        Fault(0, "crash", "left stopped with exit code 1", "Traceback"),
        Fault(1, "illegal_move", "column 9 is full", "9", "one of 1", "9"),
        Abort("server_abort", "the server could not speak for left"),
    ]
    assert why_not(a_log(WON), SETUP) == ""
    assert [why_not(a_log([*MOVES, each]), SETUP) for each in endings] == [""] * len(endings)
    draw = SETUP._replace(offers=True, seats=(BOT._replace(on_offer="ask"), BOT._replace(on_offer="ask")))
    offer = len(a_log(MOVES, draw)) + 1
    assert why_not(a_log([*MOVES, Offer(0, "draw", 6), AnswerOffer(1, offer, True)], draw), draw) == ""
    short = SETUP._replace(clock="100ms")
    late = a_log([Start(), Flag(3)], short)
    assert late[-1].data["termination"] == "timeout" and why_not(late, short) == ""


@pytest.mark.parametrize(
    "other",
    [
        {"pairing": 8}, {"clock": "1m"}, {"round": 2}, {"variant": "connect-four-7x6", "rated": True},
        {"opening": ""}, {"seats": (BOT._replace(name="stranger"), SETUP.seats[1])},
    ],
)  # fmt: skip
def test_another_match_is_not_the_one_that_was_to_be_played(other: dict[str, Any]) -> None:
    """The log itself is whole and right."""
    wrong = why_not(a_log([Start(), Resign(0)], SETUP._replace(**other)), SETUP)
    assert wrong.startswith("event 1: its ") and "expected" in wrong


def test_what_only_a_host_may_write_is_refused() -> None:
    won, end = a_log(WON), len(a_log(WON))
    ruling = LogEvent(end + 1, won[-1].at, "ruled", data={"verdict": "void", "winner": None, "reason": "no"})
    assert why_not([*won, ruling], SETUP) == f"event {end}: something follows the ending"
    assert "is not for a player to say" in why_not(a_log([*MOVES, Abort("admin_abort", "no")]), SETUP)
    assert "done by 'mira'" in why_not(a_log([*MOVES, Resign(0, "mira")]), SETUP)
    given_back = [*MOVES, Play(0, 7, "4", given_back_ms=5)]
    assert why_not(a_log(given_back), SETUP) == "event 9: a move with ['given_back_ms'], expected nothing"
    assert "'opening', expected nobody" in why_not(said(won, 4, actor="opening"), SETUP).replace("it was done by ", "")


def test_an_ending_is_decided_again() -> None:
    crashed = a_log([*MOVES, Fault(0, "crash", "gone")])
    turned = said(crashed, -1, data={**crashed[-1].data, "winner": 0})
    assert why_not(turned, SETUP).startswith(f"event {len(crashed)}: the rules say")
    left = a_log([*MOVES, Fault(0, "left", "gone")])
    assert "left is not for a player" in why_not(left, SETUP)
    legal = a_log([*MOVES, Fault(0, "illegal_move", "no", "4", "", "4")])
    assert "4 was called illegal, and is legal there" in why_not(legal, SETUP)


def test_values_are_those_that_a_log_can_hold() -> None:
    won = a_log(WON)
    for column, value in (("elapsed_ms", -1), ("elapsed_ms", 2**40), ("seat", True), ("ply", 2.0), ("move", 4)):
        assert why_not(said(won, 4, **{column: value}), SETUP).startswith(f"event 5: its {column} is {value!r}")
    assert "with a zone" in why_not(said(won, 4, at=datetime(2026, 1, 1)), SETUP)  # noqa: DTZ001
    gone = a_log([*MOVES, Fault(0, "crash", "gone\0")])
    assert "null character" in why_not(gone, SETUP)
    assert why_not([], SETUP) != "" and why_not(won[:-1], SETUP) != ""
