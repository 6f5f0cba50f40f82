"""Answers lie here for a moment, to be stored together: a transaction costs more than the match in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from django.db import DataError, IntegrityError

from arena.cluster.lease import Fence
from arena.work.database_thread import CLOSE_S
from arena.work.rows import UNREADABLE, Answered, AnswerRefused, Came, Kind, RunVoid, WorkRun

# What is wrong with one answer, and not with the database.
REFUSALS = (AnswerRefused, RunVoid, DataError, IntegrityError, *UNREADABLE)
# No answer lies longer than this, and no more are stored at once.
LIE_S, MOST_AT_ONCE = 1.0, 60


def stored(kind: Kind, some: Sequence[Answered], fence: Fence | None) -> list[Came]:
    """Store these answers, together if the kind can do that. Returns the outcome of each; for a thread.

    Raises NotTheHost, and errors of a database that cannot store anything now.
    """
    if kind.store_all is not None and len(some) > 1:
        return kind.store_all(some, fence)
    return [_stored_one(kind, *each, fence) for each in some]


def _stored_one(kind: Kind, run: WorkRun, found: Any, fence: Fence | None) -> Came:
    try:
        return kind.store(run, found, fence)
    except REFUSALS as why:
        return why


class _Lying(NamedTuple):
    run: WorkRun
    found: Any
    came: asyncio.Future[Came]


class Tray:
    """`store` stores some answers of one kind and returns the outcome of each. For use on the loop."""

    def __init__(
        self, kinds: Mapping[str, Kind], store: Callable[[Kind, Sequence[Answered]], Coroutine[Any, Any, list[Came]]]
    ) -> None:
        self._kinds, self._store = kinds, store
        self._lying: list[_Lying] = []
        self._hurried = asyncio.Event()
        self._storing: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """Whether as much lies here as is stored at once."""
        return len(self._lying) >= MOST_AT_ONCE

    async def stored(self, run: WorkRun, found: Any) -> Came:
        """The outcome of this answer, when it has been stored, or the error that `store` has raised."""
        lying = _Lying(run, found, asyncio.get_running_loop().create_future())
        self._lying.append(lying)
        if self.is_full or run.match or self._kinds[run.kind].store_all is None:
            self._hurried.set()
        if self._storing is None:
            self._storing = asyncio.get_running_loop().create_task(self._serve())
        return await lying.came

    def hurry(self, unless: str = "") -> None:
        """Store what lies here at once: somebody may wait for it. Not if all of it is of this kind."""
        if any(each.run.kind != unless for each in self._lying):
            self._hurried.set()

    async def close(self) -> None:
        """Store what lies here, if that is possible within a moment."""
        if (storing := self._storing) is not None:
            self._hurried.set()
            await asyncio.wait([storing], timeout=CLOSE_S)
            storing.cancel()
            await asyncio.gather(storing, return_exceptions=True)

    async def _serve(self) -> None:
        while self._lying:
            with suppress(TimeoutError):
                async with asyncio.timeout(LIE_S):
                    await self._hurried.wait()
            self._hurried.clear()
            some, self._lying = self._lying[:MOST_AT_ONCE], self._lying[MOST_AT_ONCE:]
            for kind in dict.fromkeys(each.run.kind for each in some):
                await self._store_some(self._kinds[kind], [each for each in some if each.run.kind == kind])
        self._storing = None

    async def _store_some(self, kind: Kind, some: Sequence[_Lying]) -> None:
        try:
            outcomes = await self._store(kind, [(each.run, each.found) for each in some])
        except Exception as why:
            outcomes = [why] * len(some)
        for each, came in zip(some, outcomes, strict=True):
            if not each.came.done():  # its run was given back meanwhile
                each.came.set_result(came)
