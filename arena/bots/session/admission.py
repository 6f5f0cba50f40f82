"""What a session does with a token that its bot shows: it is looked up, and a bot that is not let in is told why."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from arena.bots.session.connection import Connection
from arena.bots.session.finding import Prove
from arena.match.commands import Refusal

log = logging.getLogger("arena.bots")


class Applicant(Protocol):
    """The session whose bot shows it."""

    connection: Connection

    def admitted(self) -> None:
        """The token is good."""


A = TypeVar("A", bound=Applicant)


class Admission(Generic[A]):
    """Of one session. `prove(session, token)` looks a token up and raises Refusal.

    `bridged`: a SEAT line came first, so what is connected knows arenas, and comes back after a restart.
    """

    __slots__ = ("_looking_up", "_prove", "_session", "bridged")

    def __init__(self, session: A, prove: Prove[A]) -> None:
        self.bridged = False
        self._session = session
        self._prove = prove
        self._looking_up: asyncio.Task[None] | None = None

    def on_line(self, token: str) -> None:
        """A token, ahead of everything else."""
        self.bridged = True
        self.shown(token, self._session.connection.turn_away)

    def shown(self, token: str, refuse: Callable[[str, str], None]) -> bool:
        """Look this token up; `refuse(code, sentence)` is called where it is not good. One at a time: False says that
        another one is being looked up, which decides.
        """
        if self._looking_up is not None:
            return False
        self._looking_up = asyncio.get_running_loop().create_task(self._look_up(token, refuse))
        return True

    async def wait(self) -> None:
        """Until no token is being looked up."""
        if self._looking_up is not None:
            await asyncio.wait([self._looking_up])

    def cancel(self) -> None:
        """The connection is gone."""
        if self._looking_up is not None:
            self._looking_up.cancel()

    async def _look_up(self, token: str, refuse: Callable[[str, str], None]) -> None:
        session = self._session
        try:
            await self._prove(session, token)
        except Refusal as refusal:
            refuse(refusal.code, refusal.sentence)
        except Exception:
            log.exception("%s: a token could not be looked up", session.connection.transport.peer)
            session.connection.transport.close()
        else:
            session.connection.admit()
            session.admitted()
        finally:
            self._looking_up = None
