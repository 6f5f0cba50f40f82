"""Who finds the seat of a session, and what a session says to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from arena.protocols.adapter import Adapter, Wish

if TYPE_CHECKING:
    from arena.bots.session.session import Session
    from arena.rooms.room import LiveRoom

# Looks up the token that a session shows, and does what follows from it. Raises Refusal.
Prove = Callable[["Session", str], Awaitable[None]]


class Loss(NamedTuple):
    """What a lost connection means for its match: a termination, its reason, what came last and what was expected."""

    code: str
    reason: str
    received: str = ""
    expected: str = ""


def connection_closed(reason: str) -> Loss:
    """What it means where nothing more is known of the other end."""
    return Loss("disconnect", f"the connection is gone: {reason}")


class Seating(Protocol):
    """A finder that can be told where a bot is wanted."""

    def seat(self, session: Session, room: LiveRoom, side: int) -> None:
        """Seat a bot that waits for anybody, or for nobody yet."""

    def leave(self, session: Session) -> None:
        """Another finder has a seat for this bot."""


class Finder(Protocol):
    """Finds the seat of a session: a public door, a place that waits, or the one seat of `manage.py match`."""

    async def seek(self, session: Session, wish: Wish) -> str:
        """The bot names its room, a variant or an opponent. Returns the code of its room. Raises Refusal."""

    def ready(self, session: Session) -> None:
        """The bot can be asked for moves."""

    def lost(self, session: Session) -> None:
        """The connection is over."""


def on_illegal(adapter: Adapter | type[Adapter]) -> Literal["refuse", "lose"]:
    """The protocol's policy in the words of the match: asking again is refusing, the adapter counts."""
    return "lose" if adapter.on_illegal == "lose" else "refuse"
