"""What the lines of a log mean: the state is what they add up to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from arena.match.decide import open_match
from arena.match.evolve import evolve, following, replay
from arena.match.state import Kind, LogEvent, MatchState, SeatSetup, Setup, first_state

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
SETUP = Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob")), clock="1m+1s")


def the_log(*kinds: tuple[Kind, dict[str, Any]]) -> list[LogEvent]:
    """A log that begins with `opened` and goes on with these."""
    rest = [LogEvent(seq, NOW, kind, **columns) for seq, (kind, columns) in enumerate(kinds, start=2)]
    return [*open_match(SETUP, NOW), *rest]


def a_move(ply: int, move: str, left: tuple[int, int]) -> tuple[Kind, dict[str, Any]]:
    said = {"ply": ply, "seat": (ply - 1) % 2, "move": move, "elapsed_ms": 5}
    return "move", {**said, "left0_ms": left[0], "left1_ms": left[1]}


ENDED: dict[str, Any] = {"data": {"winner": 1, "termination": "resign", "reason": "Ada resigned"}}


def test_an_opened_match_waits_for_its_start() -> None:
    assert replay(the_log()) == first_state(SETUP)
    assert replay(the_log(("started", {}))).phase == "running"


def test_moves_set_the_board_and_both_clocks() -> None:
    state = replay(the_log(("started", {}), a_move(1, "4", (60_995, 60_000)), a_move(2, "5", (60_995, 60_990))))
    assert str(state.position) == str(first_state(SETUP).position.play("4").play("5"))
    assert state.left_ms == (60_995, 60_990)
    assert state.to_move == 0


def test_it_remembers_the_last_two_moves_for_those_who_say_them_again() -> None:
    moves = [a_move(ply, text, (1, 1)) for ply, text in enumerate("445", start=1)]
    assert replay(the_log(("started", {}), *moves)).recent == ((2, 1, "4"), (3, 0, "5"))


def test_each_event_has_the_state_after_it() -> None:
    log = the_log(("started", {}), a_move(1, "4", (1, 1)), a_move(2, "5", (1, 1)), ("ended", ENDED))
    states = following(replay(log[:2]), log[2:])
    first = first_state(SETUP).position
    assert [each.position for each in states] == [first.play("4"), *[first.play("4").play("5")] * 2]
    assert states[-1] == replay(log) and following(states[1], log[4:]) == states[2:]


def test_a_pause_stops_the_clock_and_keeps_what_was_left() -> None:
    paused = replay(the_log(("started", {}), a_move(1, "4", (50_000, 60_000)), ("paused", {"elapsed_ms": 7_000})))
    assert (paused.phase, paused.to_move, paused.left_ms) == ("paused", None, (50_000, 60_000))
    resumed = evolve(paused, LogEvent(5, NOW, "resumed"))
    assert (resumed.phase, resumed.to_move, resumed.left_ms) == ("running", 1, (50_000, 60_000))


def test_it_is_known_who_of_the_staff_has_paused_it_and_only_while_it_stands() -> None:
    by_staff = replay(the_log(("started", {}), ("paused", {"actor": "Ada"})))
    assert by_staff.paused_by == "Ada"
    resumed = evolve(by_staff, LogEvent(4, NOW, "resumed"))
    assert resumed.paused_by == evolve(by_staff, LogEvent(4, NOW, "ended", **ENDED)).paused_by == ""
    assert evolve(resumed, LogEvent(5, NOW, "paused")).paused_by == "", "the server did"


def test_time_given_back_is_what_the_event_says() -> None:
    refund: tuple[Kind, dict[str, Any]] = ("refunded", {"seat": 0, "left0_ms": 60_300, "left1_ms": 60_000})
    assert replay(the_log(("started", {}), refund)).left_ms == (60_300, 60_000)


def test_the_end_says_who_won_and_why() -> None:
    state = replay(the_log(("started", {}), ("ended", ENDED)))
    assert (state.phase, state.winner, state.termination, state.reason) == ("ended", 1, "resign", "Ada resigned")
    assert state.to_move is None


@pytest.mark.parametrize("kind", ["ruled", "note"])
def test_what_is_added_after_the_end_changes_nothing_but_the_number(kind: Kind) -> None:
    ended = replay(the_log(("started", {}), ("ended", ENDED)))
    after = evolve(ended, LogEvent(4, NOW, kind, data={"reason": "an appeal"}))
    assert after == ended._replace(seq=4)


@pytest.mark.parametrize("seq", [1, 2, 4, 9])
def test_a_gap_or_a_line_twice_is_a_fault_of_ours(seq: int) -> None:
    running = replay(the_log(("started", {})))
    with pytest.raises(AssertionError, match=f"event {seq} after 2"):
        evolve(running, LogEvent(seq, NOW, "paused"))


@pytest.mark.parametrize("log", [[], [LogEvent(1, NOW, "started")]], ids=["nothing", "started"])
def test_a_log_begins_with_opened(log: list[LogEvent]) -> None:
    with pytest.raises(ValueError, match="begins with opened"):
        replay(log)


def test_replaying_never_changes_an_earlier_state() -> None:
    before = first_state(SETUP)
    kept = MatchState(*before)
    evolve(evolve(before, LogEvent(2, NOW, "started")), LogEvent(3, NOW, "ended", data=ENDED["data"]))
    assert before == kept
