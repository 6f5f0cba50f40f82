"""What a session is at: one enum, and one table of what follows what."""

from __future__ import annotations

from enum import Enum, auto


class SessionState(Enum):
    """What a session is at."""

    STARTING = auto()  # the bot has not said yet that it can play
    READY = auto()
    STAYED = auto()  # between two pairings of an event, and as ready; it is told nothing
    DISMISSED = auto()  # nothing more is played, unless the bot asks for another seat
    GONE = auto()  # the connection is over


class SessionEvent(Enum):
    """What happens to a session."""

    READY = auto()
    SIT = auto()
    STAY = auto()
    DISMISS = auto()
    LOSE = auto()


# What does not stand here changes nothing.
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
    """What a session is at when this has happened."""
    return _NEXT.get((state, event), state)
