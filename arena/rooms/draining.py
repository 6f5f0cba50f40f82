"""Draining: from some moment on nothing new begins, matches with a clock are played to their end, and then the host
stops; others continue under the next. The order is a row, so that any process may give it.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from datetime import UTC, datetime

from django.db import Error, transaction

from arena.cluster.lease import Fence, for_holder
from arena.common.detached import begin
from arena.common.logs import LastingTrouble
from arena.core.hub import Hub, LiveMatch
from arena.models import Audit, Drain
from arena.rooms.lobby import Lobby
from arena.work.database_thread import DatabaseThread
from arena.work.looks import RowLooks

log = logging.getLogger("arena.draining")

LOOK_S = 1.0
CLOSED = "The arena is about to restart, so nothing new begins now. Try again in a few minutes."


def order(at: datetime, actor: str, reason: str = "") -> None:
    """Drain from `at` on. Replaces an earlier order."""
    with transaction.atomic():
        Drain.objects.update_or_create(number=1, defaults={"at": at, "actor": actor[:64]})
        Audit.objects.note(actor, "drain", "server", at=at.isoformat(), reason=reason)


def call_off(actor: str, reason: str = "") -> bool:
    """Cancel the order. Returns whether there was one."""
    with transaction.atomic():
        there = bool(Drain.objects.all().delete()[0])
        if there:
            Audit.objects.note(actor, "drain called off", "server", reason=reason)
    return there


def ordered() -> datetime | None:
    """From when on nothing new begins, None without an order."""
    return Drain.objects.values_list("at", flat=True).first()


class Draining:
    """Checks the order: once a second while there is one. `at` is its moment, None without one."""

    def __init__(self, hub: Hub, lobby: Lobby, fence: Fence | None = None) -> None:
        self.at: datetime | None = None
        self.on_over: Callable[[], None] = lambda: None
        self.on_order: Callable[[], object] = lambda: None
        self._hub, self._lobby, self._fence = hub, lobby, fence
        self._task: asyncio.Task[None] | None = None
        self._looks: RowLooks | None = None
        self._thread = DatabaseThread("arena-draining")

    async def start(self) -> None:
        """An order that is already due was given to the previous host, which is gone."""
        await self._thread.call(self._forget_due)
        self._looks = RowLooks(LOOK_S)
        self._task = begin(self._run(self._looks))

    async def stop(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._looks is not None:
            await self._looks.close()
            await self._thread.close()

    async def _run(self, looks: RowLooks) -> None:
        failing = LastingTrouble(log, "whether to drain cannot be read")
        while True:
            await looks.next(math.inf if self.at is None and not failing.lasts else LOOK_S)
            try:
                before, self.at = self.at, await self._thread.call(ordered)
            except Error as error:
                failing.begins(error)
                continue
            failing.is_over()
            if self.at != before:
                self.on_order()
            due = self.at is not None and self.at <= datetime.now(UTC)
            if due and not self._lobby.quota.closed:
                log.warning("draining: %d matches are played to their end, none begins", len(self._left()))
            self._lobby.quota.closed, self._hub.begins = CLOSED if due else "", not due
            if due and not self._left():
                await self._thread.call(self._forget_due)
                log.warning("drained: no match is left to wait for")
                self.on_over()
                return
            if self.at is None and before is not None:
                self._look_again()

    def _left(self) -> list[LiveMatch]:
        """The matches that are waited for: those with a running clock."""
        running = self._hub.running()
        return [live for live in running if live.state.setup.clock != "none" and live.state.phase == "running"]

    def _look_again(self) -> None:
        """If the order was cancelled, rounds that were held back begin."""
        for room in tuple(self._lobby.rooms.values()):
            room.look()

    def _forget_due(self) -> None:
        for_holder(Drain.objects.filter(at__lte=datetime.now(UTC)), self._fence).delete()
