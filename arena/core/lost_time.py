"""Finds the time that the server itself takes from running turns because its loop stands still.

Every act looks as well as a timer. So a turn of the loop that takes long because it is full of acts is no stall,
however many rooms there are: what stalls is one piece of work that does not let the next one begin.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

TICK_S = 0.02
STALL_S = 0.05
# So often it is asked whether any turn is still timed: where none is nobody loses anything, and nothing ticks.
ASK_S = 1.0

# From when to when, of `time.monotonic`.
GiveBack = Callable[[float, float], None]


class LostTime:
    """Tells of each stall when it is over, while any turn is `timed`. All methods are for the loop's thread."""

    def __init__(
        self, stalled: GiveBack, timed: Callable[[], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stalled, self._timed, self._clock = stalled, timed, clock
        self._loop = asyncio.get_running_loop()
        self._looked = self._asked = -math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def close(self) -> None:
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def ticks(self) -> bool:
        return self._timer is not None

    def go_on(self) -> None:
        """A turn is timed from now on."""
        if self._timer is None and not self._closed:
            self._looked = self._asked = self._clock()
            self._timer = self._loop.call_later(TICK_S, self._tick)

    def look(self) -> None:
        """Find out now whether the loop has stalled."""
        if self._timer is None:
            return
        now = self._clock()
        began = self._looked + TICK_S
        self._looked = now
        if now - began > STALL_S:
            self._stalled(began, now)

    def _tick(self) -> None:
        self.look()
        if self._looked - self._asked > ASK_S:
            self._asked = self._looked
            if not self._timed():
                self._timer = None
                return
        self._timer = self._loop.call_later(TICK_S, self._tick)
