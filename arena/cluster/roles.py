"""The role of this process if several serve one database: host or front, and how a front becomes the host.

The process that takes the lease renews it from then on, whatever else happens; then it binds every port, and only then
resumes the matches and tells the others. If it cannot bind a port, it gives the lease back. If it finds another holder,
it stops reporting on matches and becomes a front.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol

from django.db import Error as DatabaseError

from arena.cluster.bus import Bus, Message
from arena.cluster.bus_transports import RedisTransport
from arena.cluster.front import Front, HostFollower
from arena.cluster.lease import AGAIN_S, LASTS_S, RENEW_S, Fence, NotTheHost, Patience, fence_of, lease_of_host
from arena.cluster.relay import Application, Event, Relay, Streams
from arena.common.logs import LastingTrouble

log = logging.getLogger("arena.cluster.roles")

LEASE_S = 4.0
BIND_S = 2.0
FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 60.0

_here: list[Roles] = []


def front_of() -> str | None:
    """The name of the host that this process is a front of, "" while there is none; None in any other process."""
    return _here[-1].front.host if _here and _here[-1].front is not None else None


def cut_off() -> str:
    """Why this host cannot renew its lease, "" if it can: then nothing can be stored or announced either."""
    return _here[-1].cut_off if _here else ""


class Hosting(Protocol):
    """What a process does as the host."""

    async def bind(self, fence: Fence) -> None:
        """Open every port for bots. Raises OSError naming one that is taken."""
        ...

    async def begin(self, first: bool) -> None:
        """Resume the matches and admit the bots that wait at the doors. `first`: at the start of the process."""
        ...

    async def cease(self) -> None:
        """Stop at once: another process has the lease, or is to have it."""
        ...

    def cut_off(self, is_cut_off: bool) -> None:
        """The database no longer answers, or does so again."""
        ...

    def stop(self, code: int) -> None:
        """End the process."""
        ...


class Fronting(NamedTuple):
    """What a front answers by itself, what it keeps of its host, and what a host says to its fronts."""

    stays: Callable[[Event], bool]
    follower: Callable[[Bus], HostFollower]
    streams: Callable[[Bus], Streams]


class Roles:
    """The application of this process: its own while it is the host, else a front. `redis_url` is "" for a host that
    wants no fronts. Without `fronting` everything but files and health is passed on.
    """

    def __init__(
        self,
        application: Application,
        redis_url: str,
        prefix: str,
        static: str,
        hosting: Hosting,
        fronting: Fronting | None = None,
    ) -> None:
        self._application, self._static, self._hosting, self._fronting = application, static, hosting, fronting
        self.bus = Bus(RedisTransport(redis_url, prefix), self._message, self._broken) if redis_url else None
        self._lease = lease_of_host(self.bus.name if self.bus else secrets.token_hex(6))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="arena-lease")
        self._renewing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._becoming: asyncio.Task[None] | None = None
        self._stepping_down: asyncio.Task[None] | None = None
        self._failing, self._closed = LastingTrouble(log, "the lease cannot be looked at"), False
        # Before this (monotonic) it takes no lease: so that the old host, which was cut off as well, renews first.
        self._not_before = 0.0
        self._wait_s = FIRST_WAIT_S
        self.cut_off = ""
        self.front: Front | None = None
        self.relay: Relay | None = None

    def _stays(self, scope: Event) -> bool:
        """Static files, the health of this process, and what it can answer by itself."""
        path: str = scope["path"]
        if path.startswith((self._static, "/healthz", "/readyz", "/metrics")):
            return True
        return self._fronting is not None and self._fronting.stays(scope)

    async def __call__(self, scope: Event, receive: Any, send: Any) -> None:
        await (self.front or self._application)(scope, receive, send)

    async def start(self, patient: bool = False) -> None:
        """Become the host if there is none, else a front of it; `patient`: wait for a command that stores a match.
        Raises NotTheHost without Redis, OSError for a port.
        """
        _here[:] = [self]
        if self.bus is not None:
            await self.bus.start()
        if await (self._take_soon() if patient else self._take()):
            self._becoming = asyncio.get_running_loop().create_task(self._become(first=True))
            await asyncio.wait([self._becoming])
            # If it was cancelled, the lease was lost meanwhile: this process is a front now, or ends.
            if not self._becoming.cancelled():
                self._becoming.result()
        elif self.bus is None:
            raise NotTheHost(self._lease.taken(await self._in_thread(self._lease.holder)))
        else:
            self.front = self._new_front(self.bus)
            self.front.follow(await self._in_thread(self._lease.holder))
        if self.bus is not None:
            self._looking = asyncio.get_running_loop().create_task(self._look_for_ever())

    async def close(self) -> None:
        """Give the lease back, so that a front takes over at once. May be called twice."""
        if self._closed:
            return
        self._closed = True
        await _ended(self._looking, self._becoming, self._stepping_down)
        if self.relay is not None:
            await self.relay.close()
        await self._give_back()
        if self.front is not None:
            self.front.follow("")
        if self.bus is not None:
            await self.bus.close()
        self._thread.shutdown(wait=False)

    # -- the lease -----------------------------------------------------------------------------------------------------

    async def _take_soon(self) -> bool:
        """Take the lease; without fronts, wait for it: commands hold it one after another, each for a moment, a server
        keeps it.
        """
        patience = Patience()
        while not (taken := await self._take()) and self.bus is None:
            if patience.is_over(await self._in_thread(self._lease.holder)):
                break
            log.info("waiting for another process to give the lease back")
            await asyncio.sleep(AGAIN_S)
        return taken

    async def _take(self) -> bool:
        """Take the lease if it is free; returns whether it is ours. From then on it is renewed, whatever happens."""
        taken = bool(await self._in_thread(self._lease.take))
        if taken:
            self._renewing = asyncio.get_running_loop().create_task(self._renew_for_ever())
        return taken

    async def _renew_for_ever(self) -> None:
        """Renew the lease. While the database is away nobody can take it: the host stays, but stores nothing."""
        while True:
            await asyncio.sleep(self._lease.every_s)
            try:
                if not await self._in_thread(self._lease.renew):
                    self.lost()
                    return
                if self.cut_off:
                    self.cut_off = ""
                    self._hosting.cut_off(False)
            except (DatabaseError, TimeoutError) as error:
                if not self.cut_off:
                    log.warning("the lease cannot be renewed: %s", error)
                    self.cut_off = "the lease cannot be renewed: the database does not answer"
                    self._hosting.cut_off(True)

    async def _give_back(self) -> None:
        if self._renewing is None:
            return
        await _ended(self._renewing)
        self._renewing, self.cut_off = None, ""
        try:
            await self._in_thread(self._lease.release)
        except (DatabaseError, TimeoutError) as error:
            log.warning("the lease could not be given back: %s", error)

    def lost(self) -> None:
        """Another process has the lease: from now on nothing is announced about any match, whichever part noticed."""
        if self._stepping_down is None and not self._closed:
            log.critical("another process is the host now; this one tells nobody anything more")
            self._stepping_down = asyncio.get_running_loop().create_task(self._step_down())

    async def _step_down(self) -> None:
        await _ended(self._becoming)
        if self.bus is not None:
            self.front = self.front or self._new_front(self.bus)
        if self.relay is not None:
            await self.relay.close()
            self.relay = None
        has_ceased = False
        try:
            await self._hosting.cease()
            has_ceased = True
        except Exception:  # what is left of the host may hold its ports, so this process can be neither
            log.exception("this process could not cease to be the host, and ends")
        await self._give_back()
        if self.bus is None or not has_ceased:
            self._hosting.stop(1)
        self._stepping_down = None

    # -- taking over ---------------------------------------------------------------------------------------------------

    async def _look_for_ever(self) -> None:
        looked = time.monotonic()
        while True:
            await asyncio.sleep(RENEW_S)
            now, before, looked = time.monotonic(), looked, time.monotonic()
            if now - before > RENEW_S + LASTS_S:  # this process stood still, and maybe not alone
                self._not_before = now + LASTS_S
            if self.front is None or self._stepping_down is not None:
                continue
            try:
                await self._look_for_host(self.front)
                self._failing.is_over()
            except (DatabaseError, TimeoutError) as error:
                self._not_before = time.monotonic() + LASTS_S
                self._failing.begins(error)

    async def _look_for_host(self, front: Front) -> None:
        waits = time.monotonic() < self._not_before
        if waits:  # for as long again if nothing can be written yet, although it can be read
            await self._in_thread(self._lease.cap)
        if not waits and await self._take():
            front.follow("")
            log.warning("the host has gone; this process takes over")
            await self._take_over()
        else:
            front.follow(await self._in_thread(self._lease.holder))

    async def _take_over(self) -> None:
        """Become the host, or give the lease back to a process that can."""
        self._becoming = asyncio.get_running_loop().create_task(self._become(first=False))
        await asyncio.wait([self._becoming])
        error = None if self._becoming.cancelled() else self._becoming.exception()
        if self._becoming.cancelled():
            return  # the lease was lost meanwhile, and the one that found out sees to the rest
        if error is None:
            self.front, self._wait_s = None, FIRST_WAIT_S
            return
        # As a task of that name: what the host says of the lease while it ceases is then no news.
        self._stepping_down = self._stepping_down or asyncio.get_running_loop().create_task(self._step_down())
        await self._stepping_down
        if not isinstance(error, (OSError, DatabaseError)):
            log.error("this process could not become the host", exc_info=error)
            self._hosting.stop(1)
            return
        log.error("%s It stays a front, and tries again in %g s.", error, self._wait_s)
        self._not_before = time.monotonic() + self._wait_s
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)

    async def _become(self, first: bool) -> None:
        async with _limit(BIND_S, "The ports could not be bound"):
            await self._hosting.bind(fence_of(self._lease))
        await self._hosting.begin(first)
        if self.bus is not None:
            streams = self._fronting.streams(self.bus) if self._fronting is not None else None
            self.relay = Relay(self._application, self.bus, streams)

    def _new_front(self, bus: Bus) -> Front:
        follower = self._fronting.follower(bus) if self._fronting is not None else None
        return Front(self._application, bus, self._stays, follower)

    async def _in_thread(self, function: Callable[[], Any]) -> Any:
        async with _limit(LEASE_S, "The database did not answer about who is the host"):
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


@asynccontextmanager
async def _limit(seconds: float, what: str) -> AsyncIterator[None]:
    """Raises TimeoutError that says what took longer, and what may be done."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        words = f"{what} within {seconds:g} s: this machine or its database is overloaded, or its clock jumps."
        raise TimeoutError(f"{words} Start again when that is over.") from None


async def _ended(*tasks: asyncio.Task[None] | None) -> None:
    """Cancel the tasks that still run, except the current one, and wait for them."""
    running = [task for task in tasks if task is not None and task is not asyncio.current_task()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
