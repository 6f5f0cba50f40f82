"""Finds a seat for a bot that has asked for one; one request at a time."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from arena.bots.session.admission import Admission
from arena.bots.session.connection import Connection
from arena.bots.session.finding import Finder
from arena.common.logs import about
from arena.match.commands import Refusal
from arena.protocols.adapter import Challenge, Join, Queue, Refused, Wish

log = logging.getLogger("arena.bots")


class Seeker(Protocol):
    """The session that asks."""

    finder: Finder[Any]
    admission: Admission[Any] | None
    connection: Connection

    def seated(self, code: str) -> None:
        """A seat has been found, in the room with this code."""


class Seeking:
    """The search of one session. `found` is the code of the room in which the bot sits because it asked."""

    __slots__ = ("_session", "_task", "found")

    def __init__(self, session: Seeker) -> None:
        self._session = session
        self.found = ""
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether the bot has asked and waits for an answer."""
        return self._task is not None

    def begin(self, wish: Wish) -> None:
        """Find the seat that the bot asks for. While another request is pending, this one is refused."""
        if self._task is not None:
            self._session.connection.say(Refused("busy", "A seat is being found for you already.", _named(wish)))
        else:
            self._task = asyncio.get_running_loop().create_task(self._find(wish))

    def cancel(self) -> None:
        """Stop: the bot has left, or needs no seat any more."""
        if self._task is not None:
            self._task.cancel()

    async def _find(self, wish: Wish) -> None:
        session = self._session
        try:
            found = await self._sought(wish)
        finally:
            self._task = None  # before the answer: a request behind this one begins with it
        if isinstance(found, Refused):
            session.connection.say(found)
        elif found is not None:
            self.found = found
            session.seated(found)

    async def _sought(self, wish: Wish) -> str | Refused | None:
        """The code of the room, or why there is no seat; None if a bug of ours has ended the connection."""
        session = self._session
        transport, slug = session.connection.transport, session.connection.adapter.slug
        try:
            if session.admission is not None:
                await session.admission.wait()
            return await session.finder.seek(session, wish)
        except Refusal as refusal:
            return Refused(refusal.code, refusal.sentence, _named(wish))
        except Exception:
            log.exception("%s: finding a seat failed", transport.peer, extra=about(protocol=slug))
            transport.close()
            return None


def _named(wish: Wish) -> str:
    match wish:
        case Join(code=named) | Queue(variant=named) | Challenge(player=named):
            return named
