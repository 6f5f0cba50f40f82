"""decide(state, command, at, elapsed_ms) -> events: the only place that says what an act does to a match.

Order of judging a move: said before (acknowledged again), over, paused, whose turn, which ply, lateness, legality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NoReturn

from arena.match.commands import (
    Abort,
    Adjudicate,
    Command,
    Fault,
    Flag,
    Note,
    Pause,
    Play,
    Refusal,
    Resign,
    Resume,
    Rule,
    Start,
)
from arena.match.endings import FAULTS, UNCOUNTED, VERDICTS, Termination
from arena.match.state import LogEvent, MatchState, Setup, first_state
from games import IllegalMove, InvalidMove

# No game of ours comes near: Nim with 1 000 stones ends after 1 000 plies.
MAX_PLIES = 4096


def open_match(setup: Setup, at: datetime) -> tuple[LogEvent, ...]:
    """The first lines of a log: `opened`, and the moves of the opening, which cost nobody time.

    Raises KeyError or ValueError for a setup that cannot be played.
    """
    state = first_state(setup)
    opened = LogEvent(1, at, "opened", data=setup.to_data())
    return (opened, *_opening_moves(setup, state, at))


def _opening_moves(setup: Setup, state: MatchState, at: datetime) -> Iterator[LogEvent]:
    position, (left0, left1) = state.position, state.left_ms
    for seq, text in enumerate(setup.opening.split(), 2):
        seat, position = position.to_move, position.play(text)
        if position.outcome() is not None:
            raise ValueError(f"opening {setup.opening!r}: the match is over after {text}")
        yield LogEvent(seq, at, "move", position.ply, seat, text, 0, left0, left1, "opening")


def decide(state: MatchState, command: Command, at: datetime, elapsed_ms: int = 0) -> tuple[LogEvent, ...]:
    """The events that `command` adds; empty when it changes nothing and is acknowledged. Raises Refusal.

    `at` is wall time, for people. `elapsed_ms` is how long the running turn had lasted when the command arrived (for a
    bot, at the read that completed its line): late is judged by that, never by the time of deciding.
    """
    return _DECIDERS[type(command)](state, command, at, elapsed_ms)


def _play(state: MatchState, play: Play, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    if (play.ply, play.seat, play.text) in state.recent:
        return ()
    _must_run(state)
    seat, position = play.seat, state.position
    if position.to_move != seat:
        raise Refusal("not_your_turn", "It is the other side's turn. Your move was not played.")
    if play.ply != position.ply + 1:
        raise Refusal("stale", f"The board has changed: move {position.ply + 1} is next, yours was for {play.ply}.")
    allowed, given_back = state.allowed_ms, play.given_back_ms
    if allowed is not None and elapsed_ms - given_back > allowed:
        return (_timeout(state, at, elapsed_ms, given_back),)
    try:
        after = position.play(play.text)
    except (InvalidMove, IllegalMove) as why:
        return _wrong_move(state, play, why, at, elapsed_ms)
    mine = state.clock.after_move(state.left_ms[seat], max(0, elapsed_ms - given_back - state.startup_ms))
    left0, left1 = (mine, state.left_ms[1]) if seat == 0 else (state.left_ms[0], mine)
    seq, data = state.seq + 1, _given_back(given_back)
    move = LogEvent(seq, at, "move", play.ply, seat, play.text, elapsed_ms, left0, left1, play.actor, data)
    outcome = after.outcome()
    if outcome is not None:
        return move, _ended(state, at, outcome.winner, Termination.NORMAL, outcome.reason, moves=1)
    if after.ply >= MAX_PLIES:
        return move, _ended(state, at, None, Termination.MAX_PLIES, f"stopped after {MAX_PLIES} moves", moves=1)
    return (move,)


def _wrong_move(state: MatchState, play: Play, why: ValueError, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    code = Termination.ILLEGAL_MOVE if isinstance(why, IllegalMove) else Termination.BAD_OUTPUT
    if state.setup.seats[play.seat].on_illegal != "lose":
        raise Refusal("illegal_move" if code is Termination.ILLEGAL_MOVE else "invalid_move", str(why)) from None
    move = play.text if code is Termination.ILLEGAL_MOVE else ""
    fault = Fault(play.seat, code, str(why), play.text, _expected(state), move)
    return _fault(state, fault, at, elapsed_ms)


def _expected(state: MatchState) -> str:
    moves = state.position.legal_moves()
    return f"one of {', '.join(moves[:12])}{' …' if len(moves) > 12 else ''}"


def _start(state: MatchState, _: Start, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    if state.phase != "opened":
        _must_not_be_over(state)
        raise Refusal("already_started", "The match has started already.")
    return (LogEvent(state.seq + 1, at, "started"),)


def _resign(state: MatchState, resign: Resign, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    _must_not_be_over(state)
    reason = f"{state.setup.seats[resign.seat].name} resigned"
    return (_ended(state, at, 1 - resign.seat, Termination.RESIGN, reason, resign.seat, actor=resign.actor),)


def _flag(state: MatchState, flag: Flag, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    """Nothing, if the match has moved on or time was given back since the deadline was armed."""
    allowed = state.allowed_ms
    if flag.seq != state.seq or allowed is None or elapsed_ms - flag.given_back_ms <= allowed:
        return ()
    return (_timeout(state, at, elapsed_ms, flag.given_back_ms),)


def _timeout(state: MatchState, at: datetime, elapsed_ms: int, given_back_ms: int) -> LogEvent:
    seat = state.position.to_move
    assert seat is not None, "only a side to move can be late"
    limit = state.clock.base_ms if state.clock.kind == "move" else None
    reason = f"no move within {limit / 1000:g} s" if limit else "out of time"
    data = _given_back(given_back_ms)
    return _ended(state, at, 1 - seat, Termination.TIMEOUT, reason, seat, elapsed_ms, data=data)


def _fault(state: MatchState, fault: Fault, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    _must_not_be_over(state)
    if fault.code not in FAULTS:
        raise ValueError(f"{fault.code!r} blames no seat; expected one of {', '.join(sorted(FAULTS))}")
    said = {"received": fault.received, "expected": fault.expected, "move": fault.move}
    data = {name: text for name, text in said.items() if text}
    used = elapsed_ms if state.to_move == fault.seat else None
    return (_ended(state, at, 1 - fault.seat, fault.code, fault.reason, fault.seat, used, data=data),)


def _abort(state: MatchState, abort: Abort, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    _must_not_be_over(state)
    if abort.code not in UNCOUNTED:
        raise ValueError(f"{abort.code!r} has a result; expected one of {', '.join(sorted(UNCOUNTED))}")
    if abort.seat is not None and state.moves_made >= 2:
        raise Refusal("too_late", "Both sides have moved: resign instead.")
    return (_ended(state, at, None, abort.code, abort.reason, abort.seat, actor=abort.actor),)


def _adjudicate(state: MatchState, ruling: Adjudicate, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    _must_not_be_over(state)
    if not ruling.reason.strip():
        raise Refusal("reason_required", "A decision needs a reason: both players will read it.")
    return (_ended(state, at, ruling.winner, Termination.ADJUDICATED, ruling.reason, None, actor=ruling.actor),)


def _rule(state: MatchState, ruling: Rule, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    if ruling.verdict not in VERDICTS or (ruling.winner in (0, 1)) != (ruling.verdict == "win"):
        raise ValueError(f"{ruling.verdict!r} of {ruling.winner!r}; expected win of 0 or 1, or draw or void of None")
    if state.phase != "ended":
        raise Refusal("not_over", "The match is not over yet: name its winner, or stop it.")
    if not ruling.reason.strip():
        raise Refusal("reason_required", "A decision needs a reason: both players will read it.")
    data = {"verdict": ruling.verdict, "winner": ruling.winner, "reason": ruling.reason}
    return (LogEvent(state.seq + 1, at, "ruled", actor=ruling.actor, data=data),)


def _note(state: MatchState, note: Note, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    if state.phase != "ended":
        raise Refusal("not_over", "The match is not over yet: notes follow its end.")
    return (LogEvent(state.seq + 1, at, "note", seat=note.seat, data=note.data),)


def _pause(state: MatchState, pause: Pause, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    _must_run(state)
    data = {"reason": pause.reason, **_given_back(pause.given_back_ms)}
    return (LogEvent(state.seq + 1, at, "paused", elapsed_ms=elapsed_ms, actor=pause.actor, data=data),)


def _resume(state: MatchState, resume: Resume, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    """What staff have paused only staff continue: a server that has started again leaves it as it is."""
    _must_not_be_over(state)
    if state.phase != "paused" or (state.paused_by and not resume.actor):
        return ()
    data = {"afresh": True} if resume.afresh else {}
    return (LogEvent(state.seq + 1, at, "resumed", actor=resume.actor, data=data),)


def _given_back(ms: int) -> dict[str, Any]:
    return {"given_back_ms": ms} if ms else {}


def _ended(
    state: MatchState,
    at: datetime,
    winner: int | None,
    termination: str,
    reason: str,
    seat: int | None = None,
    elapsed_ms: int | None = None,
    actor: str = "",
    data: dict[str, Any] | None = None,
    moves: int = 0,
) -> LogEvent:
    """`ply` is the number of moves that were played, `moves` of which are appended together with this event."""
    said = {"winner": winner, "termination": str(termination), "reason": reason, **(data or {})}
    seq, ply = state.seq + moves + 1, state.position.ply + moves
    return LogEvent(seq, at, "ended", ply, seat, elapsed_ms=elapsed_ms, actor=actor, data=said)


def _must_not_be_over(state: MatchState) -> None:
    if state.phase == "ended":
        raise Refusal("match_over", f"The match is over: {state.reason}.")


def _must_run(state: MatchState) -> None:
    if state.phase != "running":
        _not_running(state)


def _not_running(state: MatchState) -> NoReturn:
    _must_not_be_over(state)
    if state.paused_by:
        raise Refusal("paused", "A referee has paused the match: clocks stand until a referee continues it.")
    if state.phase == "paused":
        raise Refusal("paused", "The match is paused: clocks stand, and it goes on by itself.")
    raise Refusal("not_started", "The match has not started yet: a seat is not ready.")


_DECIDERS: dict[type, Callable[[MatchState, Any, datetime, int], tuple[LogEvent, ...]]] = {
    Play: _play,
    Start: _start,
    Resign: _resign,
    Flag: _flag,
    Fault: _fault,
    Abort: _abort,
    Adjudicate: _adjudicate,
    Rule: _rule,
    Note: _note,
    Pause: _pause,
    Resume: _resume,
}
