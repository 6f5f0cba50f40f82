"""What ends a test that nothing else ends, and says where it was.

pytest-timeout raises an exception in the main thread, which a callback or a task of an event loop may keep for itself,
and of which the fixtures that follow know nothing: one such test would keep a whole run from ever ending. This ends the
process instead; pytest-xdist calls the test crashed, starts another worker and goes on.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, TextIO

LOOKS_EVERY_S = 5.0


class _Test(NamedTuple):
    name: str
    ends: float


class LastResort:
    """Ends this process when a test is not over `most` seconds after it began. `to`: where it says why."""

    def __init__(self, most: float, to: TextIO) -> None:
        self._most = most
        self._to = to
        self._test: _Test | None = None
        threading.Thread(target=self._look, daemon=True, name="last resort").start()

    @contextmanager
    def over(self, name: str) -> Iterator[None]:
        """While this test runs, from its first fixture to its last one."""
        self._test = _Test(name, time.monotonic() + self._most)
        try:
            yield
        finally:
            self._test = None

    def _look(self) -> None:
        while True:
            time.sleep(min(LOOKS_EVERY_S, self._most))
            if (test := self._test) and time.monotonic() > test.ends:
                self._tell(test)
                os._exit(1)

    def _tell(self, test: _Test) -> None:
        words = f"{test.name} hangs for more than {self._most:.0f} s. Its threads and tasks:"
        print(f"\n{words}", file=self._to, flush=True)
        faulthandler.dump_traceback(file=self._to)
        for each in gc.get_objects():
            if isinstance(each, asyncio.Task) and not each.done():
                each.print_stack(file=self._to)
        self._to.flush()


def standard_error() -> TextIO:
    """That of the whole run, to be asked for before pytest collects what a test writes."""
    return os.fdopen(os.dup(2), "w")
