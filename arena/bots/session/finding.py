"""The interfaces between a session, its parts, and the finder of its seat."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from arena.bots.session.connection import Connection
from arena.bots.session.session_state import SessionEvent, SessionState, after
from arena.core.hub import LiveMatch
from arena.match.state import SeatSetup
from arena.play.meaning import Loss
from arena.protocols.adapter import Adapter, Wish
from arena.rooms.room import LiveRoom
from arena.transports import Transport

# The type of the session.
S = TypeVar("S", contravariant=True)
# Checks the token that a session shows and applies it. Raises Refusal.
Prove = Callable[[S, str], Awaitable[None]]


class Connected:
    """A bot at the other end of a connection. `setup` is the seat it takes. During a match it may return within
    `grace_s` seconds of losing the connection; after that the match is lost by `why_lost(why_gone)`. `rounds` counts
    those played.
    """

    __slots__ = (
        "absence",
        "connection",
        "grace_s",
        "live",
        "room",
        "rounds",
        "seat",
        "setup",
        "state",
        "why_gone",
        "why_lost",
    )

    absence: asyncio.TimerHandle | None
    connection: Connection
    setup: SeatSetup
    room: LiveRoom | None
    live: LiveMatch | None
    seat: int
    grace_s: float
    rounds: int | None
    why_gone: str
    why_lost: Callable[[str], Loss]
    state: SessionState

    def __init__(self) -> None:
        self.state = SessionState.STARTING
        self.absence = self.room = self.live = None
        self.seat, self.grace_s, self.why_gone = 0, 0.0, ""

    @property
    def adapter(self) -> Adapter:
        return self.connection.adapter

    @property
    def transport(self) -> Transport:
        return self.connection.transport

    @property
    def ready(self) -> bool:
        """Whether it can be asked for moves."""
        return self.state in (SessionState.READY, SessionState.STAYED)

    @property
    def connected(self) -> bool:
        return self.state is not SessionState.GONE

    def happens(self, event: SessionEvent) -> None:
        """Change to the state that follows this event."""
        self.state = after(self.state, event)


def connection_closed(reason: str) -> Loss:
    """The effect of a lost connection of which nothing more is known."""
    return Loss("disconnect", f"the connection is gone: {reason}")


class Seating(Protocol[S]):
    """A finder that can be told where a bot is expected."""

    def seat(self, session: S, room: LiveRoom, side: int) -> None:
        """Seat a bot that waits for any opponent, or has no room yet."""

    def leave(self, session: S) -> None:
        """Another finder has a seat for this bot."""


class Finder(Protocol[S]):
    """Finds the seat of a session: a public door, a waiting place, or the one seat of `manage.py match`."""

    async def seek(self, session: S, wish: Wish) -> str:
        """Find a seat by the room, variant or opponent that the bot names. Returns the room's code. Raises Refusal."""

    def ready(self, session: S) -> None:
        """The bot can be asked for moves."""

    def lost(self, session: S) -> None:
        """The connection is over."""
