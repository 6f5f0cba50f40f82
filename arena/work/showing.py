"""Matches that are seen while they are played apart from the host: their slices are stored, then shown.

If the run of such a match is lost, the match is ended; its row may be claimed again after that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, OperationalError

from arena.cluster.lease import Fence, NotTheHost
from arena.work import rows
from arena.work.database_thread import DatabaseThread
from arena.work.forwarding import NotNow, SliceForwarder
from arena.work.rows import AnswerRefused, Kind, WorkRun

log = logging.getLogger("arena.work")


class Screen(Protocol):
    """Shows matches that are played elsewhere while they run: what is new in their logs has been stored."""

    async def show(self, match: str) -> None: ...

    async def end(self, match: str) -> None:
        """Nobody plays it any more: it ends without a result, if it has not ended."""


async def end_left_open(
    thread: DatabaseThread, kinds: Collection[str], screen: Screen, done: Callable[[WorkRun], None]
) -> None:
    """End the matches that lost runs have left open."""
    for row in await thread.call(rows.left_open, kinds):
        try:
            await screen.end(row.match)
        except (DatabaseError, NotTheHost):
            raise
        except Exception:  # its log is damaged, for example: that is no reason to play nothing else
            log.exception("match %s, which a lost run has left open, cannot be ended", row.match)
            continue
        await thread.call(rows.closed, row.pk, row.match)
        done(rows.run_of(row, row.token, row.worker))


class Showing:
    """The runs of one desk whose matches can be seen meanwhile, from when somebody watches."""

    def __init__(
        self, thread: DatabaseThread, kinds: Mapping[str, Kind], fence: Fence | None, screen: Screen | None
    ) -> None:
        self._thread, self._kinds, self._fence, self._screen = thread, kinds, fence, screen
        self._running: dict[int, SliceForwarder] = {}
        self._runs: dict[int, WorkRun] = {}

    def begin(self, run: WorkRun) -> Callable[[Any], None] | None:
        """The function that gets each slice of the run; None if no slices are wanted."""
        if self._screen is None or self._kinds[run.kind].store_slice is None:
            return None
        self._runs[run.work] = run
        forwarder = SliceForwarder(lambda found: self._stored(run.work, found), run.watched)
        self._running[run.work] = forwarder
        return forwarder.add

    async def end(self, run: WorkRun) -> WorkRun:
        """Store no slices of it any more. Returns the run with the match that they have opened."""
        if (forwarder := self._running.get(run.work)) is not None:
            await forwarder.close()
            del self._running[run.work]
        return self._runs.pop(run.work, run)

    async def look(self, done: Callable[[WorkRun], None] | None) -> None:
        """Begin with those that somebody has begun to watch. End what is left open, where somebody is to be told."""
        if self._screen is None:
            return
        for work in await self._thread.call(rows.watched, [*self._running]):
            if (forwarder := self._running.get(work)) is not None:
                forwarder.begin()
        if done is not None:
            await end_left_open(self._thread, self._kinds, self._screen, done)

    async def ended(self, run: WorkRun) -> None:
        """What it has answered is stored."""
        if run.match and self._screen is not None:
            await self._screen.show(run.match)

    async def _stored(self, work: int, found: Any) -> bool:
        """Whether more slices are wanted."""
        run = self._runs[work]
        store = self._kinds[run.kind].store_slice
        assert store is not None and self._screen is not None, "it has begun"
        try:
            match = await self._thread.call(store, run, found, self._fence)
        except (OperationalError, InterfaceError) as why:
            raise NotNow(str(why)) from None
        except (AnswerRefused, NotTheHost, LookupError, TypeError, ValueError, DataError, IntegrityError) as why:
            log.info("%s: the match is not shown while it is played: %s", run.key, why)
            return False
        if match:
            self._runs[work] = run._replace(match=match)
            await self._screen.show(match)
        return bool(match)
