"""An event that can be waited for and seldom is: `asyncio.Event` makes a queue of 700 bytes for waiters that mostly
never come, and a room of two bots had six of them.
"""

from __future__ import annotations

import asyncio


class LightEvent:
    """Like `asyncio.Event`: waiters continue when it is set, now or later."""

    __slots__ = ("_set", "_waiting")

    def __init__(self) -> None:
        self._set = False
        self._waiting: asyncio.Future[None] | None = None

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True
        if self._waiting is not None:
            self._waiting.set_result(None)
            self._waiting = None

    def clear(self) -> None:
        """Whoever comes now waits for the next `set`."""
        self._set = False

    async def wait(self) -> None:
        """Return when it is set. If one waiter is cancelled, the others go on waiting."""
        if self._set:
            return
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._waiting)
