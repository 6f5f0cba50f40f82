"""An event that can be waited for and seldom is: `asyncio.Event` makes a queue of 700 bytes for waiters that mostly
never come, and a room of two bots had six of them.
"""

from __future__ import annotations

import asyncio


class LightEvent:
    """Like `asyncio.Event`, but each waiter has a future of its own: to share one they would have to shield it, with
    another future and two closures.
    """

    __slots__ = ("_set", "_waiting")

    def __init__(self) -> None:
        self._set = False
        self._waiting: tuple[asyncio.Future[None], ...] = ()

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True
        waiting, self._waiting = self._waiting, ()
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def clear(self) -> None:
        """Tasks that come now wait for the next `set`."""
        self._set = False

    async def wait(self) -> None:
        """Return when it is set. If one waiter is cancelled, the others go on waiting."""
        if self._set:
            return
        own = asyncio.get_running_loop().create_future()
        self._waiting += (own,)
        try:
            await own
        except asyncio.CancelledError:
            self._waiting = tuple(each for each in self._waiting if each is not own)
            raise
