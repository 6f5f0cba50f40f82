"""A task of the host with its own lease, such as directing events; its writes show this lease as well as the host's. On
SQLite the host's lock keeps others away, and the row only counts.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from functools import cache

from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Now

from arena.cluster.lease import LASTS, RENEW_S, Fence, cap, expired, impatient
from arena.common.logs import LastingTrouble
from arena.models import Lease as Row

log = logging.getLogger("arena.cluster.lease")

DIRECTOR, SWEEPER = "director", "sweeper"


@cache
def _this_process() -> str:
    """Its name as a holder, made when it first needs one: what is made by an import, two forked processes share."""
    return secrets.token_hex(6)


def turn(task: str, holder: str = "", *, keeps: bool = False) -> Fence | None:
    """Take or keep the lease of a part; None while another process has it. Call it in a thread, not on the loop;
    `keeps`: the thread keeps its connection.
    """
    holder = holder or _this_process()
    alone = connection.vendor == "sqlite"
    with impatient(keeps=keeps):
        if alone and (row := Row.objects.filter(name=task, holder=holder).first()) is not None:
            return Fence(task, row.epoch)
        Row.objects.bulk_create([Row(name=task, holder="", epoch=0)], ignore_conflicts=True)
        if not alone:
            cap(Row.objects.filter(name=task), "expires", LASTS)
        free = Row.objects.filter(Q() if alone else Q(holder=holder) | expired(), name=task)
        number = Case(When(holder=holder, then=F("epoch")), default=F("epoch") + Value(1))
        if not free.update(epoch=number, holder=holder, expires=None if alone else Now() + LASTS):
            return None
        return Fence(task, Row.objects.get(name=task).epoch)


def give_up(task: str, holder: str = "") -> None:
    """Let the next process have it at once."""
    with impatient():
        Row.objects.filter(name=task, holder=holder or _this_process()).update(holder="", expires=None)


class PartLease:
    """The lease of a part, kept as long as it can be. `on_change()` is called when we get or lose it."""

    def __init__(self, task: str, on_change: Callable[[], None], holder: str = "") -> None:
        self.fence: Fence | None = None
        self._task, self._holder, self._on_change = task, holder, on_change
        self._keeping: asyncio.Task[None] | None = None
        self._failing = LastingTrouble(log, f"the lease of the {task} cannot be renewed")

    async def begin(self) -> None:
        """Ask for it, and keep asking if others may have it."""
        await self._ask()
        if connection.vendor != "sqlite":
            self._keeping = asyncio.get_running_loop().create_task(self._keep())

    async def close(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        if self.fence is not None:
            self.fence = None
            try:
                await asyncio.to_thread(give_up, self._task, self._holder)
            except DatabaseError as why:
                log.warning("the lease of the %s could not be given back: %s", self._task, why)

    async def _keep(self) -> None:
        """Keep it: while the database is away nobody else can take it either."""
        while True:
            await asyncio.sleep(RENEW_S)
            await self._ask()

    async def _ask(self) -> None:
        try:
            fence = await asyncio.to_thread(turn, self._task, self._holder)
        except DatabaseError as why:
            self._failing.begins(why)
            return
        self._failing.is_over()
        if fence != self.fence:
            self.fence = fence
            if self._keeping is not None:
                log.info("the lease of the %s is %s", self._task, "ours" if fence else "another's")
            self._on_change()
