"""A progress line for many matches: `1234 of 20000 done, 85.3 a second, 3m40s left, 2 workers`."""

from __future__ import annotations

import time

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import IO

# Seconds between two updates: on a terminal the line is redrawn, elsewhere a new line is written.
DRAW_S, WRITE_S = 0.2, 5.0


class ProgressLine:
    """Written to `err`, if it is a terminal or the line is `wanted`. The rate counts from its creation."""

    def __init__(self, err: IO[str], wanted: bool = False) -> None:
        self._err, self._is_terminal = err, err.isatty()
        self._is_said = wanted or self._is_terminal
        self._began = time.monotonic()
        self._next = 0.0
        self._said: tuple[int, int, int] | None = None
        self._drawn = 0

    def show(self, done: int, total: int, workers: int, before: int = 0, also: str = "") -> None:
        """Show that `done` of `total` are done, `before` of them earlier, with `workers` now; ends with `also`."""
        now, said = time.monotonic(), (done, total, workers)
        if self._is_said and said != self._said and (now >= self._next or done == total):
            self._next, self._said = now + (DRAW_S if self._is_terminal else WRITE_S), said
            self._write(in_words(*said, now - self._began, before) + also)

    def clear(self) -> None:
        """Erase the line, because other output follows."""
        if self._drawn:
            self._err.write(f"\r{' ' * self._drawn}\r")
            self._err.flush()
            self._drawn, self._said = 0, None

    def _write(self, line: str) -> None:
        if self._is_terminal:
            said = self._said
            self.clear()
            self._said, self._drawn = said, len(line)
            self._err.write(line)
        else:
            self._err.write(f"{line}\n")
        self._err.flush()


def in_words(done: int, total: int, workers: int, seconds: float, before: int = 0) -> str:
    """The line after `seconds`; fewer than `before` are done while an earlier run's are read again."""
    rate = max(0, done - before) / seconds if seconds > 0 else 0.0
    left = f", {_spoken((total - done) / rate)} left" if rate else ""
    processes = f"{workers} worker{'' if workers == 1 else 's'}"
    return f"{done} of {total} done, {rate:.1f} a second{left}, {processes}"


def _spoken(seconds: float) -> str:
    """For example `12s`, `3m40s` or `2h05m`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02}m"
