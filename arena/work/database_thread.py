"""One thread for the database calls of a lasting task; it keeps its connection: opening one costs more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from django.db import DatabaseError, connection

T = TypeVar("T")

# A database that does not answer delays the stop no longer than this.
CLOSE_S = 2.0


class DatabaseThread:
    """Concurrent calls are made one after the other. For use on the loop."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call the function in the thread; returns or raises what it does."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, _call, function, *arguments)

    async def close(self) -> None:
        """Close its connection after the current call."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self.call(lambda: connection.close())
        self._thread.shutdown(wait=False)


def _call(function: Callable[..., T], *arguments: Any) -> T:
    """A connection that failed is not used again: a database that was restarted has forgotten it."""
    try:
        return function(*arguments)
    except DatabaseError:
        connection.close()
        raise
