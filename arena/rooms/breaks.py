"""The break between two rounds, in which people see how the last one ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Break:
    """At most one break at a time."""

    __slots__ = ("_timer",)

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, seconds: float, over: Callable[[], None]) -> None:
        """`over` is called when it ends."""
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end, over)

    def cancel(self) -> None:
        """End the break without calling `over`."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def left_s(self) -> float | None:
        """Seconds until the next round begins, None outside a break."""
        if self._timer is None:
            return None
        return max(0.0, self._timer.when() - asyncio.get_running_loop().time())

    def _end(self, over: Callable[[], None]) -> None:
        self._timer = None
        over()
