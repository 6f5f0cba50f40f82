"""Calls: an event waits for missing players, once for each entry and for all its pairings together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from typing import NamedTuple

from arena.models import Entry
from arena.tournaments import players
from arena.tournaments.sheet import PairingLine, Sheet

# A player who is back this soon is not shown as called: some protocols end the connection with each match.
SAID_AFTER_S = 1.0
# The second call begins when this share of the event has not begun yet, so that both end together.
NEAR_THE_END = 0.1


class Call(NamedTuple):
    """These entries are waited for until then (the loop's monotonic time), in this room if they have to sit down."""

    missing: tuple[int, ...]
    until: float
    room: str = ""


class Calls:
    """The calls of one running event: `missed(entry)` for one who did not come; `news` of the end of a call."""

    def __init__(self, call_s: Callable[[], float], missed: Callable[[int], Awaitable[None]], news: Callable[[], None]):
        self._call_s = call_s
        self._missed = missed
        self._news = news
        self._loop = asyncio.get_running_loop()
        self._called: dict[int, tuple[Entry, float, asyncio.Event]] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def now(self) -> list[Call]:
        """The players who have been waited for long enough to be named."""
        since = self._loop.time() + self._call_s() - min(SAID_AFTER_S, self._call_s())
        return [Call((pk,), until) for pk, (_, until, _) in self._called.items() if until <= since]

    def come(self, player: int) -> None:
        """The player is here: its calls end."""
        for entry, _, over in self._called.values():
            if entry.player_id == player:
                over.set()

    def keep(self, entries: Collection[int]) -> None:
        """End the calls of everybody else: they are here, or nothing waits for them."""
        for pk, (_, _, over) in self._called.items():
            if pk not in entries:
                over.set()

    def call(self, entry: Entry) -> None:
        """Wait for the player, unless we already do."""
        if entry.pk in self._tasks:
            return
        self._called[entry.pk] = (entry, self._loop.time() + self._call_s(), asyncio.Event())
        self._tasks[entry.pk] = self._loop.create_task(self._wait(entry.pk))

    async def stop(self) -> None:
        """The server stops: nobody has missed anything."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _wait(self, pk: int) -> None:
        _, until, over = self._called[pk]
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await over.wait()
            del self._called[pk]
            if not over.is_set():
                await self._missed(pk)
        finally:
            self._called.pop(pk, None)
            del self._tasks[pk]
            self._news()


def to_be_called(sheet: Sheet, waiting: Collection[PairingLine], here: Collection[int]) -> list[Entry]:
    """The missing entries to call now; one that missed a call before only when nearly all else has begun."""
    left = sum(not missed(sheet, line) for line in waiting)
    is_near_the_end = left <= len(sheet.lines) * NEAR_THE_END
    return [entry for entry in missing_entries(sheet, waiting, here).values() if not entry.calls or is_near_the_end]


def missing_entries(sheet: Sheet, waiting: Iterable[PairingLine], here: Collection[int]) -> dict[int, Entry]:
    """The entries of these pairings that are missing."""
    of = (sheet.entries[pk] for line in waiting for pk in (line.a, line.b) if pk is not None)
    return {entry.pk: entry for entry in of if not players.is_here(entry, here)}


def missed(sheet: Sheet, line: PairingLine) -> bool:
    """Whether one of the two missed a call and has not played since."""
    return any(sheet.entries[pk].calls for pk in (line.a, line.b) if pk is not None)
