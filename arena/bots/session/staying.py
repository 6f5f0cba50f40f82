"""Bots that stay: a protocol that does not end the connection with a match keeps it for the next one of an event."""

from __future__ import annotations

from weakref import WeakSet

from arena.bots.session.finding import Connected
from arena.protocols.adapter import Bye

# Those who have played a match of an event, and are told nothing until the next one.
_stayed: WeakSet[Connected] = WeakSet()


def is_needed(session: Connected) -> bool:
    """Whether the next pairing of its event comes over this connection."""
    if session.room is None or not session.connected or session.adapter.wants_close:
        return False
    return session.adapter.stays and session.setup.verified and session.room.keeps(session.setup)


def keep(session: Connected) -> bool:
    """Let it wait for its next pairing. False where it is to be dismissed."""
    if not (session.ready and is_needed(session)):
        return False
    session.live = None
    _stayed.add(session)
    return True


def end(session: Connected) -> None:
    """Nothing follows for a bot that has stayed: its event is over for it."""
    if session in _stayed and session.connected and (session.room is None or session.room.over):
        _stayed.discard(session)
        session.ready = False
        session.connection.say(Bye(of_event=True))
