"""What a session does with a token: it is checked, and a bot that is refused is told why."""

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
    """The session whose bot shows the token."""

    connection: Connection

    def admitted(self) -> None:
        """The token is valid."""


A = TypeVar("A", bound=Applicant)


class Admission(Generic[A]):
    """The token check of one session by `prove(session, token)`, which raises Refusal. `bridged`: a SEAT line came
    first, so the client knows arenas and returns after a restart.
    """

    __slots__ = ("_looking_up", "_prove", "_session", "bridged")

    def __init__(self, session: A, prove: Prove[A]) -> None:
        self.bridged = False
        self._session = session
        self._prove = prove
        self._looking_up: asyncio.Task[None] | None = None

    def on_line(self, token: str) -> None:
        """Take a token that came before everything else."""
        self.bridged = True
        self.shown(token, self._session.connection.turn_away)

    def shown(self, token: str, refuse: Callable[[str, str], None]) -> bool:
        """Check this token, or `refuse(code, sentence)`. False if another one is being checked, which then decides."""
        if self._looking_up is not None:
            return False
        self._looking_up = asyncio.get_running_loop().create_task(self._look_up(token, refuse))
        return True

    async def wait(self) -> None:
        """Wait until no token is being checked."""
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
