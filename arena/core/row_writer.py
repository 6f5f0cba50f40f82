"""Writes rows that nobody waits for, and that a restart reads: they are tried again while storage fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from django.db import Error

from arena.common.detached import begin
from arena.common.logs import LastingTrouble
from arena.core import storage_watch

log = logging.getLogger("arena.storage")

AGAIN_S = 1.0


class RowWriter:
    """Everything that is being written. `words` name it in the log."""

    def __init__(self, words: str) -> None:
        self._failing = LastingTrouble(log, f"{words} cannot be stored, trying again", Error)
        self._writing: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    def write(self, store: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Await `store()` until it succeeds. Each attempt stores what holds then, so their order does not matter."""
        writing = begin(self._insist(store))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)

    async def _insist(self, store: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            is_last = self._closing.is_set()
            try:
                await store()
            except Exception as why:
                storage_watch.saw(why)
                self._failing.begins(why)
                if is_last or not isinstance(why, Error):
                    return
            else:
                self._failing.is_over()
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(AGAIN_S):
                    await self._closing.wait()

    async def written(self) -> None:
        """Wait for everything that is being written."""
        await asyncio.gather(*self._writing)

    async def close(self) -> None:
        """Try once more what could not be stored."""
        self._closing.set()
        await self.written()
