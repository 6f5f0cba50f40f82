"""An event loop for files and a few timers, with the interface that child processes need, based on `epoll`.

A bot has four files here, of which one speaks: `poll` would walk through all of them at each wait.
"""

from __future__ import annotations

import select
import time

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_READ = select.EPOLLIN
_WRITE = select.EPOLLOUT
# How many files are looked at after one wait; the others come with the next.
_AT_ONCE = 64


class Alarm:
    """Calls once at `when` (of `time.monotonic`), unless it is cancelled."""

    __slots__ = ("_alarms", "call", "when")

    def __init__(self, alarms: _Alarms, when: float, call: Callable[..., object]) -> None:
        self.when, self.call = when, call
        self._alarms = alarms
        alarms.add(self)

    def cancel(self) -> None:
        self._alarms.discard(self)


class _Alarms:
    """The alarms that are set. `soonest` is when the next one is due, which is read before each wait."""

    __slots__ = ("_all", "soonest")

    def __init__(self) -> None:
        self._all: set[Alarm] = set()
        self.soonest: float | None = None

    def add(self, alarm: Alarm) -> None:
        self._all.add(alarm)
        if self.soonest is None or alarm.when < self.soonest:
            self.soonest = alarm.when

    def discard(self, alarm: Alarm) -> None:
        self._all.discard(alarm)
        if alarm.when == self.soonest:
            self.soonest = min([alarm.when for alarm in self._all], default=None)

    def ring(self, now: float) -> None:
        """Call the alarms that are due, in order."""
        for alarm in sorted([alarm for alarm in self._all if alarm.when <= now], key=lambda alarm: alarm.when):
            if alarm in self._all:  # not cancelled by an earlier one
                self.discard(alarm)
                alarm.call()


class Loop:
    """Runs until a condition holds. An exception in a callback ends the run and is raised to the caller."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched: set[int] = set()
        self._readers: dict[int, Callable[..., object]] = {}
        self._writers: dict[int, Callable[..., object]] = {}
        self._alarms = _Alarms()

    def run(self, over: Callable[[], bool]) -> None:
        """Wait for events until `over()` holds, which is checked after each."""
        while not over():
            now, wait_s = 0.0, None
            if (soonest := self._alarms.soonest) is not None:
                now = time.monotonic()
                wait_s = max(0.0, soonest - now)
            for fd, event in self._epoll.poll(wait_s, _AT_ONCE):
                self._happened(fd, event)
            if wait_s == 0.0:  # input that has arrived by then comes first
                self._alarms.ring(now)

    def wait(self, over: Callable[[], bool], seconds: float) -> bool:
        """Run until `over()` holds, at most for `seconds`. Returns whether it holds."""
        late: list[bool] = []
        alarm = self.call_later(seconds, lambda: late.append(True))
        try:
            self.run(lambda: over() or bool(late))
        finally:
            alarm.cancel()
        return over()

    def timeout(self, seconds: float | None) -> Timeout:
        """A context in which waiting raises TimeoutError after `seconds`. None is no limit."""
        return Timeout(self, seconds)

    def sleep(self, seconds: float) -> None:
        """Run for this long, whatever happens."""
        self.wait(lambda: False, seconds)

    def add_reader(self, fd: int, callback: Callable[..., object]) -> None:
        self._readers[fd] = callback
        self._watch(fd)

    def remove_reader(self, fd: int) -> None:
        if self._readers.pop(fd, None) is not None:
            self._watch(fd)

    def add_writer(self, fd: int, callback: Callable[..., object]) -> None:
        self._writers[fd] = callback
        self._watch(fd)

    def remove_writer(self, fd: int) -> None:
        if self._writers.pop(fd, None) is not None:
            self._watch(fd)

    def call_later(self, delay: float, callback: Callable[..., object]) -> Alarm:
        return Alarm(self._alarms, time.monotonic() + delay, callback)

    def call_at(self, when: float, callback: Callable[..., object]) -> Alarm:
        return Alarm(self._alarms, when, callback)

    def _watch(self, fd: int) -> None:
        events = (_READ if fd in self._readers else 0) | (_WRITE if fd in self._writers else 0)
        if not events:
            self._watched.discard(fd)
            self._epoll.unregister(fd)
        elif fd in self._watched:
            self._epoll.modify(fd, events)
        else:
            self._watched.add(fd)
            self._epoll.register(fd, events)

    def _happened(self, fd: int, event: int) -> None:
        """Call the callbacks of a file. Readers also detect an end or an error. A callback may remove others."""
        if event & ~_WRITE and (read := self._readers.get(fd)) is not None:
            read()
        if event & ~_READ and (write := self._writers.get(fd)) is not None:
            write()


class Timeout:
    """The result of `Loop.timeout`; importing `contextlib` would add half a millisecond to a runner's start."""

    def __init__(self, loop: Loop, seconds: float | None) -> None:
        self._loop, self._seconds = loop, seconds
        self._alarm: Alarm | None = None

    def __enter__(self) -> None:
        if self._seconds is not None:
            self._alarm = self._loop.call_later(self._seconds, _too_late)

    def __exit__(self, *_: object) -> None:
        if self._alarm is not None:
            self._alarm.cancel()


def _too_late() -> None:
    raise TimeoutError
