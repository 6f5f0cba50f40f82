"""Which part this process plays where several serve one PostgreSQL: host or front, and how a front becomes the host."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import Error as DatabaseError

from arena.bus import Bus, Message
from arena.front import Front
from arena.host import NotTheHost
from arena.lease import RENEW_S, Lease
from arena.relay import Application, Event, Relay

log = logging.getLogger("arena.roles")

LEASE_S = 10.0

_here: list[Roles] = []


def front_of() -> str | None:
    """The name of the host that this process is a front of, "" while there is none; None in any other process."""
    return _here[-1].front.host if _here and _here[-1].front is not None else None


class Roles:
    """The application of this process: its own while it is the host, else a front.

    `become_host` starts referee, ledger and doors; `stop(code)` ends the process. `redis_url` is "" for a host that
    wants no fronts.
    """

    def __init__(
        self,
        application: Application,
        redis_url: str,
        prefix: str,
        static: str,
        become_host: Callable[[bool], Awaitable[None]],
        stop: Callable[[int], None],
    ) -> None:
        self._application, self._static = application, static
        self._become_host, self._stop = become_host, stop
        self.bus = Bus(redis_url, prefix, self._message, self._broken) if redis_url else None
        self._lease = Lease(self.bus.name if self.bus else secrets.token_hex(6))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="arena-lease")
        self._keeper: asyncio.Task[None] | None = None
        self._failing = self._closed = False
        self.front: Front | None = None
        self.relay: Relay | None = None

    async def __call__(self, scope: Event, receive: Any, send: Any) -> None:
        await (self.front or self._application)(scope, receive, send)

    async def start(self) -> None:
        """Become the host if there is none, else a front of it. Raises NotTheHost without Redis."""
        _here[:] = [self]
        if self.bus is not None:
            await self.bus.start()
        if await self._in_thread(self._lease.take):
            self._keeper = asyncio.get_running_loop().create_task(self._keep())
            await self._become(first=True)
        elif self.bus is None:
            holder = await self._in_thread(self._lease.holder)
            raise NotTheHost(
                f"another server ({holder}) is the host of this database: stop it, or set REDIS_URL for both, "
                "and this one serves as a front"
            )
        else:
            self.front = Front(self._application, self.bus, self._static)
            self.front.follow(await self._in_thread(self._lease.holder))
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    async def close(self) -> None:
        """Give the lease back, so that a front takes over at once. May be called twice."""
        if self._closed:
            return
        self._closed = True
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self.relay is not None:
            await self.relay.close()
            try:
                await self._in_thread(self._lease.release)
            except (DatabaseError, TimeoutError) as error:
                log.warning("the lease could not be given back: %s", error)
        if self.front is not None:
            self.front.follow("")
        if self.bus is not None:
            await self.bus.close()
        self._thread.shutdown(wait=False)

    # -- the lease -----------------------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                await (self._look_for_host() if self.front else self._renew())
                self._failing = False
            except (DatabaseError, TimeoutError) as error:
                if not self._failing:
                    log.warning("the lease cannot be looked at: %s", error)
                self._failing = True
            except Exception:
                log.exception("this process could not become the host")
                self._stop(1)

    async def _renew(self) -> None:
        """While the database is away nobody can take the lease: the host goes on. Once it is another's, it ends."""
        if not await self._in_thread(self._lease.renew):
            log.critical("another process is the host now; this one stops")
            self._stop(1)

    async def _look_for_host(self) -> None:
        assert self.front is not None, "only a front looks for a host"
        if await self._in_thread(self._lease.take):
            self.front.follow("")
            log.warning("the host has gone; this process is the host now")
            await self._become(first=False)
            self.front = None
        else:
            self.front.follow(await self._in_thread(self._lease.holder))

    async def _become(self, first: bool) -> None:
        await self._become_host(first)
        if self.bus is not None:
            self.relay = Relay(self._application, self.bus)

    async def _in_thread(self, function: Callable[[], Any]) -> Any:
        async with asyncio.timeout(LEASE_S):
            return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    # -- the bus -------------------------------------------------------------------------------------------------------

    def _message(self, peer: str, message: Message) -> None:
        if self.front is not None:
            self.front.message(peer, message)
        elif self.relay is not None:
            self.relay.message(peer, message)

    def _broken(self, peer: str) -> None:
        if self.front is not None:
            self.front.broken(peer)
        elif self.relay is not None:
            self.relay.broken(peer)
