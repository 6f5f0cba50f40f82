"""How slow a player's line is, measured by the server alone: the round trips of the pings of their websocket."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from arena.core.hub import LiveMatch

# The least time between two pings. They go out behind a frame, so nobody is woken for one.
EVERY_S = 3.0
# The fastest of the newest round trips counts: one that was slow by chance, or because this process was busy, does not.
NEWEST = 3
# Rounded down to a multiple of this. A line that is faster is not slow at all.
STEP_MS = 50

Measure = Callable[[Callable[[int], None]], None]


class Lag:
    """The line of one page. `measure` pings it (`ArenaWebSocket.measure`), `changed` is called with each new `ms`."""

    __slots__ = ("_changed", "_measure", "_measured_at", "_trips", "ms")

    def __init__(self, measure: Measure, changed: Callable[[], None]) -> None:
        self.ms = 0
        self._measure, self._changed = measure, changed
        self._measured_at = -math.inf
        self._trips: tuple[int, ...] = ()

    def follow(self, live: LiveMatch, seat: int) -> None:
        """The page has been sent a frame. Only while its player's clock may run, its line matters."""
        now = time.monotonic()
        if live.state.phase == "running" and live.state.left_ms[seat] is not None and now - self._measured_at > EVERY_S:
            self._measured_at = now
            self._measure(self._heard)

    def _heard(self, trip_ms: int) -> None:
        self._trips = (*self._trips, max(0, trip_ms))[-NEWEST:]
        before, self.ms = self.ms, min(self._trips) // STEP_MS * STEP_MS
        if self.ms != before:
            self._changed()
