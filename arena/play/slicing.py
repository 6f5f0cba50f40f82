"""Slices of the log of a match, for those who watch it from elsewhere while it is played."""

from __future__ import annotations

import time

from arena.match.export import to_rows
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from arena.match.state import LogEvent
    from arena.play.bout import Bout, BoutTurn
    from arena.play.loop import Alarm, Loop

    # Is given {"match": name, "base": number of the last event before the slice, "events": as from `to_rows`}.
    SendSlice = Callable[[dict[str, Any]], None]

EVERY_S = 0.25


class Slicer:
    """Follows one match, and sends what is new in its log at most every `EVERY_S`. The ending is never part of a slice,
    so a match that is over within that time sends nothing.
    """

    def __init__(self, loop: Loop, send: SendSlice) -> None:
        self._loop, self._send = loop, send
        self._sent = 0
        self._next = time.monotonic() + EVERY_S
        self._alarm: Alarm | None = None

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        if bout.over:
            if self._alarm is not None:
                self._alarm.cancel()
        elif self._alarm is None:
            wait_s = max(0.0, self._next - time.monotonic())
            self._alarm = self._loop.call_later(wait_s, lambda: self._send_new(bout))

    def _send_new(self, bout: Bout) -> None:
        base, self._sent = self._sent, len(bout.events)
        self._alarm, self._next = None, time.monotonic() + EVERY_S
        self._send({"match": bout.id, "base": base, "events": to_rows(bout.events[base:])})
