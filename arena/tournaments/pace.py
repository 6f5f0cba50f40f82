"""When a running event is read again. Reading a large one takes long, so results alone do not cause it each time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

# After results the next look waits this many times as long as the last one took, and as many times as events run, so
# that reading them takes a tenth of a processor; but not longer than this.
RESTS, MOST_REST_S = 9.0, 10.0

GiveNext = Callable[[set[int]], Awaitable[bool]]


class Pace:
    """The looks at one event of `events()` that run, in the thread of its loop."""

    def __init__(self, events: Callable[[], int]) -> None:
        self._events = events
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._began = self._loop.time()
        self._is_due = self._may_rest = False
        self._over = set[int]()

    def news(self) -> None:
        """Look at once."""
        self._is_due = True
        self._woken.set()

    def soon(self) -> None:
        """Look after the rest that the last look has earned."""
        self._may_rest = True
        self._woken.set()

    def over(self, pairing: int) -> None:
        """Somebody has played this pairing away from here, or could not."""
        self._over.add(pairing)
        self.soon()

    def begin(self) -> None:
        """A look begins, and will see everything up to now."""
        self._is_due = self._may_rest = False
        self._over.clear()
        self._began = self._loop.time()

    async def next(self, give_next: GiveNext) -> None:
        """Wait for the next look, which is due at once if `give_next` says so: it gives away pairings in place of those
        that are over, without reading the event.
        """
        now = self._loop.time()
        due = now + min(MOST_REST_S, RESTS * (now - self._began) * self._events())
        while not self._is_due and not (self._may_rest and self._loop.time() >= due):
            self._woken.clear()
            over, self._over = self._over, set()
            if over and not await give_next(over):
                return
            if not self._woken.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(due if self._may_rest else None):
                        await self._woken.wait()
