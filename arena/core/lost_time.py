"""Finds the time that the server itself takes from running turns because its loop stands still.

Every act looks as well as a timer. So a turn of the loop that takes long because it is full of acts is no stall,
however many rooms there are: what stalls is one piece of work that does not let the next one begin.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

TICK_S = 0.02
STALL_S = 0.05

# From when to when, of `time.monotonic`.
GiveBack = Callable[[float, float], None]


class LostTime:
    """Tells of each stall when it is over. All methods are for the loop's thread."""

    def __init__(self, stalled: GiveBack, clock: Callable[[], float] = time.monotonic) -> None:
        self._stalled, self._clock = stalled, clock
        self._loop = asyncio.get_running_loop()
        self._looked = clock()
        self._timer = self._loop.call_later(TICK_S, self._tick)

    def close(self) -> None:
        self._timer.cancel()

    def look(self) -> None:
        """Find out now whether the loop has stalled."""
        now = self._clock()
        began = self._looked + TICK_S
        self._looked = now
        if now - began > STALL_S:
            self._stalled(began, now)

    def _tick(self) -> None:
        self.look()
        self._timer = self._loop.call_later(TICK_S, self._tick)
