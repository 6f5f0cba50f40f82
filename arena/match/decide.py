"""decide(state, command, at, elapsed_ms) -> events: the only place that defines what a command does to a match.

A move is checked in this order: repetition (acknowledged again), over, paused, turn, ply, lateness, legality.
"""

from __future__ import annotations

from arena.match.commands import (
    Abort,
    Adjudicate,
    AnswerOffer,
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
from arena.match.endings import FAULTS, UNCOUNTED, VERDICTS, Termination
from arena.match.said import said, said_by_rules
from arena.match.state import LogEvent, MatchState, OpenOffer, first_state
from games import IllegalMove, RefusedMove
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from typing import Any, NoReturn

    from arena.match.commands import Command
    from arena.match.state import Kind, OfferKind, Setup
    from games import Position

# Far beyond our games: Nim with 1 000 stones ends after 1 000 plies.
MAX_PLIES = 4096
# Begins the list of moves that were expected in place of an illegal one.
ONE_OF = "one of "


def open_match(setup: Setup, at: datetime) -> tuple[LogEvent, ...]:
    """The first events of a log: `opened` and the moves of the opening, which take no clock time. Raises KeyError or
    ValueError for a setup that cannot be played.
    """
    return opened(first_state(setup), at)


def opened(state: MatchState, at: datetime) -> tuple[LogEvent, ...]:
    """The same for the first state of a match."""
    return (LogEvent(1, at, "opened", data=state.setup.to_data()), *opening_moves(state, at))


def opening_moves(state: MatchState, at: datetime) -> Iterator[LogEvent]:
    setup, position, (left0, left1) = state.setup, state.position, state.left_ms
    for seq, text in enumerate(setup.opening.split(), 2):
        seat, position = position.to_move, position.play(text)
        if position.outcome() is not None:
            raise ValueError(f"opening {setup.opening!r}: the match is over after {text}")
        yield LogEvent(seq, at, "move", position.ply, seat, text, 0, left0, left1, "opening")


def decide(state: MatchState, command: Command, at: datetime, elapsed_ms: int = 0) -> tuple[LogEvent, ...]:
    """The events that `command` adds; none if it is acknowledged but changes nothing. Raises Refusal.

    `at` is wall-clock time, for people. `elapsed_ms` is the duration of the running turn when the command arrived (for
    a bot: at the read that completed its line). Lateness is judged by it, not by the time of the decision.
    """
    return _DECIDERS[type(command)](state, command, at, elapsed_ms)


def _play(state: MatchState, play: Play, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    # Unpacked because this runs for every move of every match, and reading a field takes far longer.
    seat, ply, text, actor, given_back = play
    if (ply, seat, text) in state.recent:
        return ()
    _must_run(state)
    position = state.position
    if position.to_move != seat:
        raise Refusal("not_your_turn", "It is the other side's turn. Your move was not played.")
    if ply != position.ply + 1:
        next_ply = position.ply + 1
        words = said("The board has changed: move {n} is next, yours was for {yours}.", n=next_ply, yours=ply)
        raise Refusal("stale", words)
    left, allowed, paid_ms = state.left_ms, state.allowed_ms, elapsed_ms - given_back
    if allowed is not None and paid_ms > allowed:
        return (_timeout(state, at, elapsed_ms, given_back),)
    try:
        after = position.after(text)
    except RefusedMove as why:
        return _wrong_move(state, play, why, at, elapsed_ms)
    has = left[seat]
    if has is not None and allowed is not None:
        has = state.clock.after_move(has, max(0, paid_ms - (allowed - has)))
    left0, left1 = (has, left[1]) if seat == 0 else (left[0], has)
    data = _given_back(given_back)
    move = LogEvent(state.seq + 1, at, "move", ply, seat, text, elapsed_ms, left0, left1, actor, data)
    outcome = after.outcome()
    if outcome is not None:
        return move, _ended(state, at, outcome.winner, Termination.NORMAL, outcome.reason, moves=1)
    if after.ply >= MAX_PLIES:
        return move, _ended(state, at, None, Termination.MAX_PLIES, f"stopped after {MAX_PLIES} moves", moves=1)
    return (move,)


def _wrong_move(state: MatchState, play: Play, why: RefusedMove, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    code = Termination.ILLEGAL_MOVE if isinstance(why, IllegalMove) else Termination.BAD_OUTPUT
    if state.setup.seats[play.seat].on_illegal != "lose":
        wrong = "illegal_move" if code is Termination.ILLEGAL_MOVE else "invalid_move"
        raise Refusal(wrong, said_by_rules(why)) from None
    move = play.text if code is Termination.ILLEGAL_MOVE else ""
    fault = Fault(play.seat, code, str(why), play.text, one_of(state.position), move)
    return _fault(state, fault, at, elapsed_ms)


def one_of(position: Position) -> str:
    """What was expected in place of a wrong move."""
    moves = position.legal_moves()
    return f"{ONE_OF}{', '.join(moves[:12])}{' …' if len(moves) > 12 else ''}"


def _start(state: MatchState, _: Start, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    if state.phase != "opened":
        _must_not_be_over(state)
        raise Refusal("already_started", "The match has started already.")
    return (LogEvent(state.seq + 1, at, "started"),)


def _resign(state: MatchState, resign: Resign, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    _must_not_be_over(state)
    reason = f"{state.setup.seats[resign.seat].name} resigned"
    used = elapsed_ms if state.to_move == resign.seat else None
    return (_ended(state, at, 1 - resign.seat, Termination.RESIGN, reason, resign.seat, used, actor=resign.actor),)


# -- offers ------------------------------------------------------------------------------------------------------------


def _offer(state: MatchState, offer: Offer, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    """The offer, followed by its answer if it needs nobody's: the arena declines for bots that cannot be asked, and
    built-in players grant every takeback. Two players who offer a draw have agreed on it, as have two at one screen.
    """
    _must_run(state)
    if state.offer is not None and state.offer[1:] == (offer.seat, offer.what):
        return ()
    _must_be_possible(state, offer)
    here, other = state.setup.at_one_screen, state.setup.seats[1 - offer.seat]
    if offer.what == "draw" and (here or (state.offer is not None and state.offer.what == "draw")):
        return (_agreed(state, at, offer.seat, offer.actor),)
    _must_be_new(state, offer)
    event = _said(state, at, "offered", offer.seat, offer.what, offer.actor)
    if offer.what == "takeback" and (here or other.kind == "builtin"):
        return event, _taken_back(state, at, offer.seat)._replace(seq=event.seq + 1)
    if other.kind == "builtin" or other.on_offer == "decline":
        declined = _said(state, at, "declined", 1 - offer.seat, offer.what)
        return event, declined._replace(seq=event.seq + 1)
    return (event,)


def _must_be_possible(state: MatchState, offer: Offer) -> None:
    setup, position = state.setup, state.position
    if not setup.offers:
        raise Refusal("not_allowed", "Takebacks and draw offers are off in this match.")
    if offer.what == "takeback":
        # Such a program cannot take back a move that it has been told, or has not said that it can.
        if deaf := next((seat.name for seat in setup.seats if seat.on_offer == "decline"), ""):
            words = said("{name} cannot take moves back.", name=deaf)
            raise Refusal("not_allowed", words)
        if state.last_move_of(offer.seat) is None:
            raise Refusal("nothing_to_take_back", "You have made no move that could be taken back.")
        if state.seq >= MAX_PLIES:
            raise Refusal("too_long", "This match is too long for more takebacks.")
    own = state.last_move_of(offer.seat)
    if position.ply < offer.ply or (own is not None and state.history[own].position.ply >= offer.ply):
        raise Refusal("stale", "The board has changed. Look again, then ask.")


def _must_be_new(state: MatchState, offer: Offer) -> None:
    """Raise Refusal if an offer is open, or the seat has already asked the same in this position."""
    if state.offer is not None:
        raise Refusal("offer_open", _comes_first(state, state.offer, offer.seat))
    if (offer.seat, offer.what) in state.offered:
        raise Refusal("offered_before", "You have asked that in this position already. Ask again after the next move.")


def _comes_first(state: MatchState, there: OpenOffer, seat: int) -> str:
    draw, other = there.what == "draw", state.setup.seats[there.seat].name
    if there.seat == seat:
        if draw:
            return said("You have offered a draw: that comes first.")
        return said("You have asked for a takeback: that comes first.")
    if draw:
        return said("{name} has offered a draw: that comes first.", name=other)
    return said("{name} has asked for a takeback: that comes first.", name=other)


def _taken_back(state: MatchState, at: datetime, seat: int, actor: str = "") -> LogEvent:
    """Take back all moves from the seat's last one on; clocks return to their state before that move."""
    own = state.last_move_of(seat)
    assert own is not None, "the offer was possible in this position"
    position, (left0, left1), _ = state.history[own]
    return LogEvent(state.seq + 1, at, "takeback", position.ply, seat, "", None, left0, left1, actor)


def _answer(state: MatchState, answer: AnswerOffer, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    offer = _open_offer(state, answer.offer, 1 - answer.seat)
    if not answer.accepts:
        return (_said(state, at, "declined", answer.seat, offer.what, answer.actor),)
    if offer.what == "draw":
        return (_agreed(state, at, answer.seat, answer.actor),)
    return (_taken_back(state, at, offer.seat, answer.actor),)


def _withdraw(state: MatchState, withdraw: Withdraw, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    offer = _open_offer(state, withdraw.offer, withdraw.seat)
    return (_said(state, at, "withdrew", withdraw.seat, offer.what, withdraw.actor),)


def _said(state: MatchState, at: datetime, kind: Kind, seat: int, what: OfferKind, actor: str = "") -> LogEvent:
    return LogEvent(state.seq + 1, at, kind, state.position.ply, seat, actor=actor, data={"what": what})


def _open_offer(state: MatchState, seq: int, seat: int) -> OpenOffer:
    """The seat's open offer with this number. Raises Refusal if it is no longer open."""
    _must_run(state)
    if state.offer is None or state.offer[:2] != (seq, seat):
        raise Refusal("no_offer", "This offer is no longer open: it was answered, withdrawn, or a move was made.")
    return state.offer


def _agreed(state: MatchState, at: datetime, seat: int, actor: str) -> LogEvent:
    return _ended(state, at, None, Termination.AGREEMENT, "draw agreed", seat, actor=actor)


def _hint(state: MatchState, hint: GiveHint, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    """One hint a position; asking again changes nothing. A hint is public in the log and has no other cost."""
    _must_run(state)
    if not state.setup.gives_hints:
        raise Refusal("not_allowed", "There are hints only in matches between a person and a built-in player.")
    if state.position.to_move != hint.seat:
        raise Refusal("no_hint_now", "It is the other side's turn. Ask for a hint when it is yours.")
    if hint.ply != state.position.ply:
        raise Refusal("stale", "The board has changed. Look again, then ask.")
    if state.hint:
        return ()
    if hint.move not in state.position.legal_moves():
        raise ValueError(f"{hint.move!r} is no hint: it is not legal here")
    data = {"move": hint.move}
    return (LogEvent(state.seq + 1, at, "hint", hint.ply, hint.seat, actor=hint.actor, data=data),)


# -- the clock, and what ends a match otherwise ------------------------------------------------------------------------


def _flag(state: MatchState, flag: Flag, at: datetime, elapsed_ms: int) -> tuple[LogEvent, ...]:
    """No event if the match has moved on, or time was given back since the deadline was set."""
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
    told = {"received": fault.received, "expected": fault.expected, "move": fault.move}
    data = {name: text for name, text in told.items() if text}
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
    if not ruling.actor:
        _must_run(state)  # a proof that arrives during a pause is checked again when the match resumes
    if not ruling.reason.strip():
        raise Refusal("reason_required", "A decision needs a reason: both players will read it.")
    if ruling.ply not in (None, now := state.position.ply):
        raise Refusal("moved_on", f"The proof is about the board after {ruling.ply} moves, and there are {now}.")
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
    """Only staff resume what staff have paused; a restarted server leaves the match paused."""
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
    """`ply` becomes the number of moves played, including the `moves` appended together with this event."""
    told = {"winner": winner, "termination": str(termination), "reason": reason, **(data or {})}
    seq, ply = state.seq + moves + 1, state.position.ply + moves
    return LogEvent(seq, at, "ended", ply, seat, elapsed_ms=elapsed_ms, actor=actor, data=told)


def _must_not_be_over(state: MatchState) -> None:
    if state.phase == "ended":
        raise Refusal("match_over", said("The match is over: {reason}.", reason=state.reason))


def _must_run(state: MatchState) -> None:
    if state.phase != "running":
        _not_running(state)


def _not_running(state: MatchState) -> NoReturn:
    _must_not_be_over(state)
    if state.paused_by:
        raise Refusal("paused", "A referee has paused the match: clocks are stopped until a referee resumes it.")
    if state.phase == "paused":
        raise Refusal("paused", "The match is paused: clocks are stopped, and it goes on by itself.")
    raise Refusal("not_started", "The match has not started yet: a seat is not ready.")


_DECIDERS: dict[type, Callable[[MatchState, Any, datetime, int], tuple[LogEvent, ...]]] = {
    Play: _play,
    Start: _start,
    Resign: _resign,
    Offer: _offer,
    AnswerOffer: _answer,
    Withdraw: _withdraw,
    GiveHint: _hint,
    Flag: _flag,
    Fault: _fault,
    Abort: _abort,
    Adjudicate: _adjudicate,
    Rule: _rule,
    Note: _note,
    Pause: _pause,
    Resume: _resume,
}
