"""Splits work on many items into slices, so that it never holds the loop for longer than one slice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

SLICE_S = 0.002

T = TypeVar("T")


class Slices(Generic[T]):
    """Calls `work`, which must not raise, for each of `items`, and then `done` with the seconds spent. The first slice
    runs at once; between two the loop handles everything else.
    """

    def __init__(self, items: Iterable[T], work: Callable[[T], None], done: Callable[[float], None]) -> None:
        self._waiting = list(items)
        self._work, self._done = work, done
        self._spent = 0.0
        self._go_on()

    def _go_on(self) -> None:
        waiting, work = self._waiting, self._work
        began = now = time.perf_counter()
        while waiting and now - began < SLICE_S:
            work(waiting.pop())
            now = time.perf_counter()
        self._spent += now - began
        if waiting:
            asyncio.get_running_loop().call_soon(self._go_on)
        else:
            self._done(self._spent)
