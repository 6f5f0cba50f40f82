"""Detects that this process itself was suspended while a program was to move, which would inflate the program's time.

A process notices being stopped, starved or asleep by reading the clock every few milliseconds.
"""

from __future__ import annotations

import time

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.match.state import LogEvent
    from arena.play.bout import Bout, BoutTurn
    from arena.play.loop import Alarm, Loop

LOOK_S = 0.01


class StallWatch:
    """Follows one match; `longest_ms` is the longest gap between two checks in turns of the seats `watched`."""

    def __init__(self, loop: Loop, watched: frozenset[int]) -> None:
        self._loop, self._watched = loop, watched
        self._looked: float | None = None
        self._longest_s = 0.0
        self._alarm: Alarm | None = None

    @property
    def longest_ms(self) -> int:
        return int(self._longest_s * 1000)

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        self._look()
        if bout.over:
            self._looked = None
        elif turn is not None:
            self._looked = time.monotonic() if turn.seat in self._watched else None
            self._arm()

    def _arm(self) -> None:
        """Look again soon, once for all turns: an opponent that answers at once leaves no time for the last alarm."""
        if self._looked is not None and self._alarm is None:
            self._alarm = self._loop.call_later(LOOK_S, self._look_again)

    def _look(self) -> None:
        if self._looked is not None:
            now = time.monotonic()
            self._longest_s = max(self._longest_s, now - self._looked)
            self._looked = now

    def _look_again(self) -> None:
        self._alarm = None
        self._look()
        self._arm()
