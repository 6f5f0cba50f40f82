"""When rows are worth another look: after a write in any process, and hardly ever otherwise. For all parts of the host,
one thread asks the database for a number that every commit changes.
"""

from __future__ import annotations

import asyncio
import math
import threading
from contextlib import suppress
from typing import ClassVar

from django.db import Error, connection

from arena.work.database_thread import CLOSE_S

EVERY_S = 0.5
# SQLite counts the commits of other connections; PostgreSQL reports open transactions and the next number.
_NUMBERS = {"sqlite": "PRAGMA data_version", "postgresql": "SELECT txid_current_snapshot()::text"}


class RowLooks:
    """The looks of one part, in the thread of its loop, at least `every_s` apart. The first one is always due, because
    nobody knows what was written before.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._looked = self._loop.time()
        self._closed = False
        _Asking.begin(self)
        self.soon()

    def call(self) -> None:
        """Look at once."""
        self._news.set()

    def soon(self) -> None:
        """There may be something new."""
        if self._timer is None and not self._closed:
            self._timer = self._loop.call_at(self._looked + self._every_s, self._news.set)

    async def next(self, longest_s: float = math.inf) -> None:
        """Wait for the next look, at most this long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(None if longest_s == math.inf else longest_s):
                await self._news.wait()
        self._news.clear()
        self._looked = self._loop.time()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def close(self) -> None:
        """Stop the thread: from now on only `call` causes a look."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        await _Asking.end(self)

    def written(self) -> None:
        """Somebody has written. May be called from any thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self.soon)


class _Asking:
    """A thread with a connection that never writes. It runs while anybody looks."""

    now: ClassVar[_Asking | None] = None

    def __init__(self) -> None:
        self._all: set[RowLooks] = set()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="arena-looks", daemon=True)
        self._thread.start()

    @classmethod
    def begin(cls, looks: RowLooks) -> None:
        if cls.now is None or not cls.now._thread.is_alive():
            cls.now = cls()
        cls.now._all.add(looks)

    @classmethod
    async def end(cls, looks: RowLooks) -> None:
        if (asking := cls.now) is None or looks not in asking._all:
            return
        asking._all.remove(looks)
        if not asking._all:
            cls.now = None
            asking._end.set()
            await asyncio.to_thread(asking._thread.join, CLOSE_S)

    def _run(self) -> None:
        last = None
        try:
            while not self._end.wait(EVERY_S):
                number = _number()
                if number is None or number != last:
                    for each in tuple(self._all):
                        each.written()
                last = number
        finally:
            connection.close()


def _number() -> object:
    """The number; None if the database cannot be asked: then every part looks for itself, and reports what it finds."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(_NUMBERS[connection.vendor])
            return cursor.fetchone()
    except Error:
        connection.close()
        return None
