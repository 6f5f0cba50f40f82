"""evolve(state, event) -> state: the effect of a logged event. Never fails on events that `decide` made."""

from __future__ import annotations

from arena.match.state import Before, Left, LogEvent, MatchState, OpenOffer, Setup, first_state
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from games import Position


def evolve(state: MatchState, event: LogEvent) -> MatchState:
    """The state after `event`, which must be the next event of this match's log."""
    assert event.seq == state.seq + 1, f"event {event.seq} after {state.seq}"
    return _EVOLVERS[event.kind](state, event)


def replay(events: Iterable[LogEvent]) -> MatchState:
    """The state after a whole log. Raises ValueError if the log does not begin with `opened`."""
    log = iter(events)
    first = next(log, None)
    if first is None or first.kind != "opened":
        raise ValueError(f"a log begins with opened, this one with {first and first.kind}")
    state = first_state(Setup.from_data(first.data))
    for event in log:
        state = evolve(state, event)
    return state


def following(state: MatchState, events: Iterable[LogEvent]) -> list[MatchState]:
    """The states after each of these events, which must be the next events of this match's log."""
    states = []
    for event in events:
        state = evolve(state, event)
        states.append(state)
    return states


def standing(log: Iterable[LogEvent]) -> list[LogEvent]:
    """The moves of a log, without those that were taken back."""
    moves: list[LogEvent] = []
    for event in log:
        if event.kind == "move":
            moves.append(event)
        elif event.kind == "takeback":
            while moves and (moves[-1].ply or 0) > (event.ply or 0):
                moves.pop()
    return moves


def line(log: Sequence[LogEvent]) -> list[tuple[Position, str]]:
    """The positions of the match, without moves taken back; each with the move that led to it, "" for the first."""
    position = first_state(Setup.from_data(log[0].data)).position
    found = [(position, "")]
    for event in standing(log):
        position = position.play(event.move)
        found.append((position, event.move))
    return found


def _started(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, phase="running", started_at=state.position.ply)


def _resumed(state: MatchState, event: LogEvent) -> MatchState:
    started_at = state.position.ply if event.data.get("afresh") else state.started_at
    return state._replace(seq=event.seq, phase="running", started_at=started_at, paused_by="")


def _move(state: MatchState, event: LogEvent) -> MatchState:
    # Unpacked instead of _replace because this runs for every move of every match. No move is played during a pause.
    setup, clock, position, _, phase, before, recent, winner, ended, reason, started_at, _, history, _, _, _ = state
    seq, _, _, ply, seat, move, _, left0, left1, _, _ = event
    assert ply is not None and seat is not None, "a move has a ply and a seat"
    if setup.offers and phase == "running":
        history = (*history, Before(position, before, recent))
    left, recent, after = (left0, left1), (*recent[-1:], (ply, seat, move)), position.after(move)
    return MatchState(setup, clock, after, seq, phase, left, recent, winner, ended, reason, started_at, "", history)


def _offered(state: MatchState, event: LogEvent) -> MatchState:
    assert event.seat is not None, "somebody has offered it"
    what = event.data["what"]
    offer = OpenOffer(event.seq, event.seat, what)
    return state._replace(seq=event.seq, offer=offer, offered=(*state.offered, (event.seat, what)))


def _answered(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, offer=None)


def _takeback(state: MatchState, event: LogEvent) -> MatchState:
    assert event.ply is not None, "a takeback says how many moves stay"
    stay = len(state.history) - (state.position.ply - event.ply)
    position, left, recent = state.history[stay]
    return state._replace(
        seq=event.seq,
        position=position,
        left_ms=left,
        recent=recent,
        history=state.history[:stay],
        offer=None,
        offered=(),
        hint="",
    )


def _hint(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, hint=event.data["move"])


def _paused(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, phase="paused", paused_by=event.actor)


def _refunded(state: MatchState, event: LogEvent) -> MatchState:
    return state._replace(seq=event.seq, left_ms=(event.left0_ms, event.left1_ms))


def _ended(state: MatchState, event: LogEvent) -> MatchState:
    data = event.data
    return state._replace(
        seq=event.seq,
        phase="ended",
        left_ms=_left_at_end(state, event),
        paused_by="",
        winner=data["winner"],
        termination=data["termination"],
        reason=data["reason"],
        offer=None,
        hint="",
    )


def _left_at_end(state: MatchState, event: LogEvent) -> Left:
    """The clocks of both, in ms: whoever ended the match in their own turn has used what that turn took."""
    first, second = state.left_ms
    seat, used = event.seat, event.elapsed_ms
    left = None if seat is None or seat != state.to_move else state.left_ms[seat]
    if left is None or used is None:
        return first, second
    left = max(0, left - max(0, used - event.data.get("given_back_ms", 0) - state.startup_ms))
    return (left, second) if seat == 0 else (first, left)


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
    "offered": _offered,
    "declined": _answered,
    "withdrew": _answered,
    "takeback": _takeback,
    "hint": _hint,
}
