"""judge(log) -> error: every move of a stored log is decided again in the position before it, and must produce exactly
the events that follow: the same clocks, and the same ending if it ended the match.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.match import endings
from arena.match.commands import AnswerOffer, GiveHint, Offer, Play, Refusal, Withdraw
from arena.match.decide import decide, opening_moves
from arena.match.endings import FAULTS, VERDICTS, Termination
from arena.match.evolve import evolve
from arena.match.state import OFFERS, LogEvent, MatchState, Setup, first_state

# The phases in which each event may follow. Notes may follow in any.
PHASES = {
    "started": ("opened",),
    "paused": ("running",),
    "resumed": ("paused",),
    "refunded": ("running",),
    "ended": ("opened", "running", "paused"),
    "ruled": ("ended",),
    "hint": ("running",),
    **dict.fromkeys(OFFERS, ("running",)),
}
# Endings that only a move can cause.
BY_MOVE = (Termination.NORMAL, Termination.MAX_PLIES)
# Endings that the seat in the event has lost.
LOST = FAULTS | {Termination.RESIGN, Termination.TIMEOUT}


class WrongEvent(Exception):
    """An event cannot follow the events before it."""


def judge(log: Sequence[LogEvent]) -> str:
    """Why the log is invalid, naming the first wrong event; "" if it is valid."""
    return judged(log)[0]


def judged(log: Sequence[LogEvent]) -> tuple[str, MatchState | None]:
    """The same, with the state after a valid log."""
    done = 0
    try:
        state, first = beginning(log)
        done = len(first)
        while done < len(log):
            following = required(state, log[done])
            if tuple(log[done : done + len(following)]) != following:
                raise WrongEvent(
                    f"the rules say {said(following)}, the log says {said(log[done : done + len(following)])}"
                )
            for event in following:
                state = evolve(state, event)
            done += len(following)
    except (WrongEvent, Refusal, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as why:
        return f"event {done + 1}: {why}", None
    return "", state


def beginning(log: Sequence[LogEvent]) -> tuple[MatchState, tuple[LogEvent, ...]]:
    """The `opened` event and the moves of the opening, and the state after them."""
    if not log or log[0].kind != "opened":
        raise WrongEvent(f"a log begins with opened, this one with {log[0].kind if log else 'nothing'}")
    state = first_state(Setup.from_data(log[0].data))
    opening = tuple(opening_moves(state, log[0].at))
    # A setup stored by an older version lacks newer fields, which then have their defaults.
    first = (LogEvent(1, log[0].at, "opened", data=log[0].data), *opening)
    if tuple(log[: len(first)]) != first:
        raise WrongEvent(f"the setup says {said(first)}, the log says {said(log[: len(first)])}")
    for event in opening:
        state = evolve(state, event)
    return state, first


def required(state: MatchState, event: LogEvent) -> tuple[LogEvent, ...]:
    """The events that the log must have here, starting with one for `event`. Raises WrongEvent or Refusal."""
    if event.seq != state.seq + 1:
        raise WrongEvent(f"number {state.seq + 1} is missing, {event.seq} follows")
    if event.kind == "move":
        return _move(state, event)
    if event.kind != "note" and state.phase not in PHASES.get(event.kind, ()):
        raise WrongEvent(f"{event.kind} cannot follow while the match is {state.phase}")
    if event.kind in OFFERS:
        return _offer(state, event)
    if event.kind == "hint":
        return _hint(state, event)
    if event.kind == "ended":
        _look_at_ending(state, event)
    elif event.kind == "ruled":
        _look_at_ruling(event)
    elif event.kind == "refunded":
        _look_at_refund(state, event)
    return (event,)


def _move(state: MatchState, event: LogEvent) -> tuple[LogEvent, ...]:
    if event.seat is None or event.ply is None or event.elapsed_ms is None:
        raise WrongEvent("a move without seat, ply or time")
    play = Play(event.seat, event.ply, event.move, event.actor, event.data.get("given_back_ms", 0))
    following = decide(state, play, event.at, event.elapsed_ms)
    if not following:
        raise WrongEvent(f"move {event.ply} stands in the log twice")
    return following


def _offer(state: MatchState, event: LogEvent) -> tuple[LogEvent, ...]:
    """Decide an event about an offer again, by the command that must have caused it."""
    if event.seat is None:
        raise WrongEvent(f"{event.kind} without a seat")
    if event.kind == "offered":
        return decide(state, Offer(event.seat, event.data["what"], state.position.ply, event.actor), event.at)
    if state.offer is None:
        raise WrongEvent(f"{event.kind}, but nothing is offered")
    if event.kind == "withdrew":
        return decide(state, Withdraw(event.seat, state.offer.seq, event.actor), event.at)
    accepts = event.kind == "takeback"
    who = 1 - event.seat if accepts else event.seat
    return decide(state, AnswerOffer(who, state.offer.seq, accepts, event.actor), event.at)


def _hint(state: MatchState, event: LogEvent) -> tuple[LogEvent, ...]:
    if event.seat is None or event.ply is None:
        raise WrongEvent("a hint without seat or ply")
    following = decide(state, GiveHint(event.seat, event.ply, event.data["move"], event.actor), event.at)
    if not following:
        raise WrongEvent("a second hint in one position")
    return following


def _look_at_ending(state: MatchState, event: LogEvent) -> None:
    termination = endings.termination(event.data["termination"])
    if termination in BY_MOVE:
        raise WrongEvent(f"{termination} without a move that ends the match")
    _look_at_winner(event, termination)
    if event.ply != state.position.ply:
        raise WrongEvent(f"ended at ply {event.ply}, but {state.position.ply} moves were played")
    if termination == Termination.AGREEMENT and (state.offer is None or state.offer.what != "draw"):
        raise WrongEvent("a draw by agreement that nobody has offered")
    allowed, used = state.allowed_ms, (event.elapsed_ms or 0) - event.data.get("given_back_ms", 0)
    if termination == Termination.TIMEOUT and (allowed is None or used <= allowed):
        raise WrongEvent(f"a timeout after {used} ms, but {allowed} ms were allowed")


def _look_at_winner(event: LogEvent, termination: str) -> None:
    """Whoever resigns, is late or breaks a rule loses; a decision may name anybody; other endings have no winner."""
    winner = event.data["winner"]
    winners: tuple[int | None, ...] = (None,)
    if termination in LOST and event.seat in (0, 1):
        winners = (1 - event.seat,)
    elif termination == Termination.ADJUDICATED:
        winners = (0, 1, None)
    if type(winner) not in (int, type(None)) or winner not in winners:
        said = f"{' or '.join(map(str, winners))} wins by {termination} of seat {event.seat}"
        raise WrongEvent(f"the rules say that {said}, the log says {winner!r}")


def _look_at_ruling(event: LogEvent) -> None:
    verdict, winner = event.data["verdict"], event.data["winner"]
    if verdict not in VERDICTS or winner not in ((0, 1) if verdict == "win" else (None,)):
        raise WrongEvent(f"a ruling of {verdict!r} with {winner!r} as the winner")


def _look_at_refund(state: MatchState, event: LogEvent) -> None:
    left = list(state.left_ms)
    if event.seat is None or left[event.seat] is None:
        raise WrongEvent("time given back where there is no clock")
    left[event.seat] = (left[event.seat] or 0) + event.data["ms"]
    if [event.left0_ms, event.left1_ms] != left:
        raise WrongEvent(
            f"{event.data['ms']} ms given back make {left}, the log says {[event.left0_ms, event.left1_ms]}"
        )


def said(events: Sequence[LogEvent]) -> str:
    """A short description of events with the values that can differ."""
    return ", ".join(
        f"{event.kind} {event.move or dict(event.data) or ''} {event.ply} {event.left0_ms}/{event.left1_ms}"
        for event in events
    )
