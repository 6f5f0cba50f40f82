"""why_not(log, setup) -> error: checks a log returned by a worker that was to play exactly this match.

A worker may put less into a log than a host may: no pauses, time given back, rulings, notes or endings by staff.
Endings without a move, which `judge` accepts from a host unchecked, are decided again here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from arena.match import endings
from arena.match.commands import Abort, AnswerOffer, Command, Fault, Flag, Refusal, Resign
from arena.match.decide import decide
from arena.match.endings import FAULTS, Termination
from arena.match.evolve import replay
from arena.match.judge import BY_MOVE, judged
from arena.match.state import OFFERS, LogEvent, MatchState, Setup

# The events allowed during the match, besides its ending.
KINDS = frozenset({"opened", "started", "move", *OFFERS})
# Endings that a program can cause without a move; only people leave.
BY_PLAYERS = FAULTS - {Termination.LEFT} | {Termination.RESIGN, Termination.AGREEMENT}
# Endings that are no player's fault.
ABORTS = frozenset({Termination.SERVER_ABORT, Termination.NO_START})
OPENING = "opening"
# The text fields of an ending.
TEXTS = ("reason", "received", "expected", "move")
# The largest number that a database column can hold.
MOST = 2**31 - 1
# A null character as JSON writes it.
NULL = "\\u0000"


class _Not(Exception):
    """An event is not allowed in such a log."""


def why_not(log: Sequence[LogEvent], setup: Setup, is_whole: bool = True) -> str:
    """Why this is not the whole log of a match with this setup, naming the first wrong event; "" if it is. Without
    `is_whole` it has no ending yet. It may hold any values of JSON.
    """
    return judged_return(log, setup, is_whole)[0]


def judged_return(log: Sequence[LogEvent], setup: Setup, is_whole: bool = True) -> tuple[str, MatchState | None]:
    """The same, with the state after a log that holds."""
    number, opening = 0, 1 + len(setup.opening.split())
    try:
        fits = not log or _all_fit(log)
        for number, event in enumerate(log, 1):
            if not fits:
                _look_at_values(event)
            if number == 1:
                _look_at_setup(event, setup)
            else:
                _look_at_kind(event, number <= opening, is_last=is_whole and number == len(log))
        wrong, state = judged(log)
        if is_whole and not wrong:
            _look_at_ending(log)
    except (_Not, Refusal, ValueError, LookupError, TypeError, AttributeError, RecursionError) as why:
        return f"event {max(number, 1)}: {why}", None
    return wrong, state


def _all_fit(log: Sequence[LogEvent]) -> bool:
    """Whether every value has its type in a log and fits into its column: looked at by columns, which takes a third of
    the time. The first event holds the setup, which is compared as a whole.
    """
    seqs, times, kinds, plies, seats, moves, elapsed, left0, left1, actors, data = zip(*log, strict=True)
    numbers = [each for each in chain(seqs, plies, seats, elapsed, left0, left1) if each is not None]
    return (
        set(map(type, numbers)) == {int}
        and 0 <= min(numbers) <= max(numbers) <= MOST
        and set(map(type, chain(kinds, moves, actors))) == {str}
        and set(map(type, times)) == {datetime}
        and None not in [at.tzinfo for at in times]
        and set(map(type, data)) == {dict}
        and "\0" not in "".join(moves)
        and NULL not in json.dumps(data[1:])
    )


def _look_at_values(event: LogEvent) -> None:
    """Raise _Not for the first value that does not."""
    if not (isinstance(event.at, datetime) and event.at.tzinfo is not None):
        raise _Not(f"its time is {event.at!r}, expected one with a zone")
    for name in ("seq", "ply", "seat", "elapsed_ms", "left0_ms", "left1_ms"):
        value = getattr(event, name)
        if value is not None and not (type(value) is int and 0 <= value <= MOST):
            raise _Not(f"its {name} is {value!r}, expected a whole number from 0 to {MOST}")
    for name in ("kind", "move", "actor"):
        if not isinstance(getattr(event, name), str):
            raise _Not(f"its {name} is {getattr(event, name)!r}, expected a text")
    if "\0" in event.move or (event.data and NULL in json.dumps(dict(event.data))):
        raise _Not("it holds a null character, which no log does")


def _look_at_setup(event: LogEvent, setup: Setup) -> None:
    """Check that the log is of the match that was to be played."""
    if event.kind != "opened":
        raise _Not(f"a log begins with opened, this one with {event.kind}")
    said, wanted = dict(event.data), setup.to_data()
    if said == wanted:
        return  # hardly ever otherwise
    wanted = json.loads(json.dumps(wanted))
    for name in [*wanted, *said]:
        if said.get(name) != wanted.get(name) or (name in said) != (name in wanted):
            raise _Not(f"its {name} is {said.get(name)!r}, expected {wanted.get(name)!r}")


def _look_at_kind(event: LogEvent, is_opening: bool, is_last: bool) -> None:
    if is_last != (event.kind == "ended"):
        raise _Not(f"the last event is {event.kind}, expected ended" if is_last else "something follows the ending")
    if event.kind != "ended" and event.kind not in KINDS:
        raise _Not(f"{event.kind} is not for a player to say")
    if event.actor != (OPENING if is_opening else ""):
        raise _Not(f"it was done by {event.actor!r}, expected nobody but the players")
    if event.kind in ("started", "move") and event.data:
        raise _Not(f"a {event.kind} with {sorted(event.data)}, expected nothing")


def _look_at_ending(log: Sequence[LogEvent]) -> None:
    """Check that the command that must have caused the ending produces exactly this event."""
    event = log[-1]
    termination = endings.termination(event.data["termination"])
    if termination in BY_MOVE:
        return  # already checked with its move
    state = replay(log[:-1])
    expected = decide(state, _command_of(state, event, termination), event.at, event.elapsed_ms or 0)
    if expected != (event,):
        told = f"{expected[0].seat} {dict(expected[0].data)}" if expected else "no ending"
        raise _Not(f"the rules say {told}, the log says {event.seat} {dict(event.data)}")


def _command_of(state: MatchState, event: LogEvent, termination: str) -> Command:
    said: dict[str, Any] = dict(event.data)
    for name in TEXTS:
        if not isinstance(said.get(name, ""), str):
            raise _Not(f"its {name} is {said[name]!r}, expected a text")
    if termination in ABORTS:
        return Abort(termination, said["reason"])
    if termination == Termination.TIMEOUT:
        return Flag(state.seq)
    if termination not in BY_PLAYERS:
        raise _Not(f"{termination} is not for a player to say")
    if event.seat is None:
        raise _Not(f"{termination} by nobody")
    if termination == Termination.RESIGN:
        return Resign(event.seat)
    if termination == Termination.AGREEMENT:
        if state.offer is None:
            raise _Not("a draw by agreement that nobody has offered")
        return AnswerOffer(event.seat, state.offer.seq, accepts=True)
    move = said.get("move", "")
    if termination == Termination.ILLEGAL_MOVE and state.to_move == event.seat and move in state.position.legal_moves():
        raise _Not(f"{move} was called illegal, and is legal there")
    return Fault(event.seat, termination, said["reason"], said.get("received", ""), said.get("expected", ""), move)
