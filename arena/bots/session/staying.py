"""Bots that stay: if a protocol does not close the connection after a match, it serves the next one of an event."""

from __future__ import annotations

from collections.abc import Iterable

from arena.bots.session.finding import Connected
from arena.bots.session.session_state import SessionEvent, SessionState
from arena.protocols.adapter import Bye


def is_needed(session: Connected) -> bool:
    """Whether the next pairing of its event comes over this connection."""
    if session.room is None or not session.connected or session.adapter.wants_close:
        return False
    return session.adapter.stays and session.setup.verified and session.room.keeps(session.setup)


def keep(session: Connected) -> bool:
    """Let it wait for its next pairing. Returns False if it should be dismissed."""
    if not (session.ready and is_needed(session)):
        return False
    session.live = None
    session.happens(SessionEvent.STAY)
    return True


def end(sessions: Iterable[object]) -> None:
    """Dismiss the bots among these that have stayed, because their event is over."""
    for session in sessions:
        if not isinstance(session, Connected) or session.state is not SessionState.STAYED:
            continue
        if session.room is None or session.room.over:
            session.happens(SessionEvent.DISMISS)
            session.connection.say(Bye(of_event=True))
