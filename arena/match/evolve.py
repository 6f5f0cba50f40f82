"""evolve(state, event) -> state: what an event that is in the log means. Never fails on events that `decide` made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from arena.match.state import LogEvent, MatchState, Setup, first_state
from games import Position


def evolve(state: MatchState, event: LogEvent) -> MatchState:
    """The state after `event`, which must be the next of this match's log."""
    assert event.seq == state.seq + 1, f"event {event.seq} after {state.seq}"
    return _EVOLVERS[event.kind](state, event)


def replay(events: Iterable[LogEvent]) -> MatchState:
    """The state that a whole log adds up to. Raises ValueError where the log does not begin with `opened`."""
    log = iter(events)
    first = next(log, None)
    if first is None or first.kind != "opened":
        raise ValueError(f"a log begins with opened, this one with {first and first.kind}")
    state = first_state(Setup.from_data(first.data))
    for event in log:
        state = evolve(state, event)
    return state


def positions(log: Sequence[LogEvent], base: int) -> list[Position]:
    """The position after each event of this log from number `base`+1 on."""
    state, after = replay(log[:base]), []
    for event in log[base:]:
        state = evolve(state, event)
        after.append(state.position)
    return after


def _started(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, phase="running", started_at=state.position.ply)


def _resumed(state: MatchState, event: LogEvent) -> MatchState:
    started_at = state.position.ply if event.data.get("afresh") else state.started_at
    return state._replace(seq=event.seq, phase="running", started_at=started_at, paused_by="")


def _move(state: MatchState, event: LogEvent) -> MatchState:
    # Written out instead of _replace: this line runs for every move of every match. No move is played in a pause.
    setup, clock, position, _, phase, _, recent, winner, termination, reason, started_at, _ = state
    assert event.ply is not None and event.seat is not None, "a move has a ply and a seat"
    left = (event.left0_ms, event.left1_ms)
    recent = (*recent[-1:], (event.ply, event.seat, event.move))
    return MatchState(
        setup, clock, position.play(event.move), event.seq, phase, left, recent, winner, termination, reason, started_at
    )


def _paused(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, phase="paused", paused_by=event.actor)


def _refunded(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, left_ms=(event.left0_ms, event.left1_ms))


def _ended(state: MatchState, event: LogEvent) -> MatchState:
    data = event.data
    return state._replace(
        seq=event.seq,
        phase="ended",
        paused_by="",
        winner=data["winner"],
        termination=data["termination"],
        reason=data["reason"],
    )


def _recorded(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq)


_EVOLVERS: dict[str, Callable[[MatchState, LogEvent], MatchState]] = {
    "started": _started,
    "move": _move,
    "paused": _paused,
    "resumed": _resumed,
    "refunded": _refunded,
    "ended": _ended,
    "ruled": _recorded,
    "note": _recorded,
}
