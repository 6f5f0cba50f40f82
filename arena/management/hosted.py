"""For commands whose matches a host plays: the command becomes the host, or watches the one that is there."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, connection

from arena import host as hosting
from arena import paths
from arena.cluster.lease import LASTS_S, Fence, NotTheHost
from arena.cluster.relay import Event
from arena.cluster.roles import Roles
from arena.management.arguments import INTERRUPTED, WRONG_USAGE
from arena.models import Work
from arena.work.kinds import PLAY
from arena.work.stranded import Want, stranded

ENGINES = ("local", "procrastinate")
# How often a look is taken, and how often at what is waited for in vain.
LOOK_S, WAITS_S = 0.25, 5.0
# By then the lease of a host that was killed has expired, and been looked at once more.
DEAD_S = LASTS_S + 1.0

# What is waited for in vain, as the page of an event says it.
WAITS = {
    Want.WORKER: "What has not begun waits for a worker; for 30 s there has been none that takes work. On a machine "
    f"set up as one (docs/cluster.md): {paths.PROGRAM} worker",
    Want.SANDBOX: "What has not begun waits for a worker with a sandbox of level {words} or higher. On a worker, this "
    f"says what is missing: {paths.PROGRAM} sandbox_check",
    Want.LACKING: "The workers give matches back, because their machines lack something: {words}",
}


def lends(engine: str | None) -> bool:
    """Whether workers play, by `--engine` or by the settings. Raises CommandError if there can be none."""
    if engine == "procrastinate" and not settings.ARENA_ENGINE:
        if connection.vendor != "postgresql":
            needs = "--engine procrastinate needs PostgreSQL: set DATABASE_URL, and"
        elif find_spec("procrastinate") is None:
            needs = "--engine procrastinate: it is not installed. Run pip install 'arena[cluster]', and"
        else:
            needs = "--engine procrastinate:"
        raise CommandError(f"{needs} set ARENA_ENGINE=procrastinate as well: docs/cluster.md", returncode=WRONG_USAGE)
    return (engine or settings.ARENA_ENGINE) == "procrastinate"


def why_it_waits(whom: int | str) -> str:
    """What an event, or the batch of a command, has waited for in vain for a while; "" for nothing."""
    from arena.work.workers.lender import STRANDED, workers  # what it needs is not installed everywhere

    found = stranded(workers((PLAY,), STRANDED), STRANDED).get(whom)
    if found is None or found.want == Want.WORKER and Work.objects.filter(kind=PLAY, state=Work.State.OUT).exists():
        return ""
    return WAITS[found.want].format(words=found.words)


class Waits:
    """Says once what somebody's matches wait for in vain; it looks no more often than every few seconds."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._looked = time.monotonic()
        self._said = ""

    def look(self, whom: int | str) -> None:
        if time.monotonic() - self._looked < WAITS_S:
            return
        self._looked = time.monotonic()
        before, self._said = self._said, why_it_waits(whom)
        if self._said and self._said != before:
            self._note(self._said)


class Hosted:
    """One run of a command. It takes the lease of the host as a server does; without it, or when it is lost, the host
    plays `what` and this watches.

    `look()` is called in a thread again and again: the exit status when all is over, None before. Bots find their
    doors at `bots_host` and the ports of `doors()`. `lends`: this host has workers play what they can.
    """

    def __init__(
        self,
        what: str,
        look: Callable[[], int | None],
        note: Callable[[str], None],
        lends: bool,
        bots_host: str = "127.0.0.1",
        doors: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        self._what, self._look, self._note = what, look, note
        self._lends, self._bots_host, self._doors = lends, bots_host, doors
        self.host: hosting.Host | None = None
        self.roles = Roles(_no_pages, "", "", "", self)
        self._trusted = hosting.networks(settings.ARENA_TRUSTED_NETS)
        self._ports: Mapping[str, int] = {}
        self._stop = asyncio.Event()
        self._code = 0

    async def play(self) -> int:
        """Returns the exit status: that of the last look, 130 after Ctrl-C or SIGTERM, 1 if it cannot go on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupt)
        self._ports = await sync_to_async(self._doors)()
        try:
            if not await self._became_host():
                self._note(f"A server runs on this data: it plays {self._what}, and this command watches.")
            return await self._watch(loop.time() + DEAD_S if connection.vendor != "sqlite" else 0.0)
        finally:
            if self.host is not None:
                await self.host.stop()
            await self.roles.close()

    async def _became_host(self) -> bool:
        try:
            await self.roles.start()
        except NotTheHost:
            return False
        return True

    def _interrupt(self) -> None:
        self._code = INTERRUPTED
        self._stop.set()

    def _ledger_died(self, error: BaseException) -> None:
        print(f"error: the log cannot be written any more ({error!r}); stopping", file=sys.stderr, flush=True)
        self._code = 1
        self._stop.set()

    # -- as the host: what `Roles` asks for --------------------------------------------------------------------------

    async def bind(self, fence: Fence) -> None:
        self.host = hosting.make(fence, self._ledger_died)
        self.host.ledger.on_fenced = self.roles.lost
        await self.host.bind_doors(self._bots_host, self._ports, self._trusted)

    async def begin(self, first: bool) -> None:
        assert self.host is not None, "its doors are bound"
        await self.host.begin(self._lends)
        if self._ports:
            await self.host.open_seats(self._bots_host, self._trusted)
        for slug, port in (await self.host.attend_doors()).items():
            self._note(f"Bots       {slug} on {self._bots_host}:{port}")

    async def cease(self) -> None:
        host, self.host = self.host, None
        if host is not None:
            await host.cease()

    def cut_off(self, is_cut_off: bool) -> None:
        if self.host is not None:
            self.host.cut_off(is_cut_off)

    def stop(self, code: int) -> None:
        self._note(f"A server is the host now: it plays {self._what}, and this command watches.")

    # -- and in any case ---------------------------------------------------------------------------------------------

    async def _watch(self, dead_until: float) -> int:
        """Until then, the host may be one that was killed: a lock shows that at once, a row only when it expires."""
        failing = False
        while not self._stop.is_set():
            try:
                if self.host is None and asyncio.get_running_loop().time() < dead_until and await self._became_host():
                    self._note(f"That server has gone: this command plays {self._what}.")
                code, failing = await sync_to_async(self._look)(), False
            except (DatabaseError, TimeoutError) as why:
                if not failing:
                    self._note(f"The database does not answer, trying again: {why}")
                code, failing = None, True
            if code is not None:
                return code
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._stop.wait()
        return self._code


async def _no_pages(scope: Event, receive: Any, send: Any) -> None:
    raise NotImplementedError("no page leads here: this command serves none")
