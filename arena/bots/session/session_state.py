"""The states of a session, and one table of transitions."""

from __future__ import annotations

from enum import Enum, auto


class SessionState(Enum):
    STARTING = auto()  # the bot has not shown yet that it can play
    READY = auto()
    STAYED = auto()  # between two pairings of an event: ready, and told nothing
    DISMISSED = auto()  # nothing more is played, unless the bot asks for another seat
    GONE = auto()  # the connection is over


class SessionEvent(Enum):
    READY = auto()
    SIT = auto()
    STAY = auto()
    DISMISS = auto()
    LOSE = auto()


# Events that are not listed change nothing.
_NEXT = {
    (SessionState.STARTING, SessionEvent.READY): SessionState.READY,
    (SessionState.DISMISSED, SessionEvent.READY): SessionState.READY,
    (SessionState.READY, SessionEvent.STAY): SessionState.STAYED,
    (SessionState.STAYED, SessionEvent.SIT): SessionState.READY,
    (SessionState.STARTING, SessionEvent.DISMISS): SessionState.DISMISSED,
    (SessionState.READY, SessionEvent.DISMISS): SessionState.DISMISSED,
    (SessionState.STAYED, SessionEvent.DISMISS): SessionState.DISMISSED,
    **{(state, SessionEvent.LOSE): SessionState.GONE for state in SessionState},
}


def after(state: SessionState, event: SessionEvent) -> SessionState:
    return _NEXT.get((state, event), state)
