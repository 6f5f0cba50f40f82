"""Detects the time that running turns lose because the loop of their process stalls, the server's or the driver's.

Every act checks for a stall, as does a timer. So an iteration of the loop that is long because it handles many acts is
no stall: a stall is one piece of work that keeps the next from starting.
"""

from __future__ import annotations

import math
import time

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.transports.shape import ProcessLoop, Timer

    # Called with the start and the end of a stall, in `time.monotonic`.
    GiveBack = Callable[[float, float], None]

TICK_S = 0.02
STALL_S = 0.05
# How often to check whether any turn is still timed; if none is, nobody loses time and the timer stops.
ASK_S = 1.0


class LostTime:
    """Reports each stall when it is over, while any turn is `timed`. Call all methods from the loop's thread."""

    def __init__(
        self,
        loop: ProcessLoop,
        stalled: GiveBack,
        timed: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._loop, self._stalled, self._timed, self._clock = loop, stalled, timed, clock
        self._looked = self._asked = -math.inf
        self._timer: Timer | None = None
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
        """Start watching, because a turn is timed from now on."""
        if self._timer is None and not self._closed:
            self._looked = self._asked = self._clock()
            self._timer = self._loop.call_later(TICK_S, self._tick)

    def look(self) -> None:
        """Check now whether the loop has stalled."""
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
