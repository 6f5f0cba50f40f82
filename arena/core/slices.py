"""Work for very many that lets others go on in between: the loop is never held longer than a slice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

SLICE_S = 0.002

T = TypeVar("T")


class Slices(Generic[T]):
    """Does `work` for each of `items`, and then calls `done` with the seconds that all of it took of the loop.

    The first slice is done at once. `work` raises nothing. Between two slices the loop hears and tells everything else.
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
