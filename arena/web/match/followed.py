"""A match as a front follows it: its log from the rows, and what no log holds from the host.

The host announces the length of the log, not its contents: these are committed before anybody is told, so a front reads
them. So a match with a thousand moves a second costs the host one short message a frame.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.cluster.bus import heard_as
from arena.core.hub import LiveMatch
from arena.core.viewers import NOBODY
from arena.match.evolve import evolve
from arena.match.state import Left, LogEvent
from arena.web.match.scene import Beside, Series


class HostSays(NamedTuple):
    """What the host knows of a match besides its log, as of the event `seq` and the moment `at` (our monotonic time).

    `runs` is the seat whose clock counts down. `beside` is what `arena.web.match.frames` shows each audience of the
    room, `follows` the next match (`frames.next_of`), `rounds` the list of the series without words, `featured` whether
    staff chose it for the home page. What a host of another release does not say is not shown.
    """

    seq: int
    left_ms: Left = (None, None)
    runs: int | None = None
    here: tuple[bool, bool] = (True, True)
    back_ms: tuple[int | None, int | None] = (None, None)
    watching: int = 0
    lag_ms: tuple[int, int] = (0, 0)
    beside: Mapping[str, Beside] = {}
    follows: tuple[str, int | None] = ("", 0)
    rounds: Sequence[dict[str, Any]] = ()
    featured: bool = False
    at: float = 0.0

    def to_json(self) -> dict[str, Any]:
        said = self._asdict()
        del said["at"]
        besides = {
            audience: beside._asdict() | {"series": beside.series and beside.series._asdict()}
            for audience, beside in self.beside.items()
        }
        return said | {"beside": besides}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> HostSays:
        """The result of `to_json`, received now."""
        besides = {audience: _beside(said.get("beside", {}).get(audience, {})) for audience in NOBODY}
        return heard_as(cls, {**said, "beside": besides, "at": time.monotonic()})

    def now(self) -> HostSays:
        """The same, brought up to date."""
        now = time.monotonic()
        return self._replace(left_ms=self.left_now(now), back_ms=self.back_now(now), at=now)

    def left_now(self, now: float) -> Left:
        """What both clocks show now: the running one less the time since the host's message."""
        first, second = (
            left if left is None or seat != self.runs else max(0, left - self._ms_since(now))
            for seat, left in enumerate(self.left_ms)
        )
        return first, second

    def back_now(self, now: float) -> tuple[int | None, int | None]:
        first, second = (None if back is None else max(0, back - self._ms_since(now)) for back in self.back_ms)
        return first, second

    def _ms_since(self, now: float) -> int:
        return round((now - self.at) * 1000)


class FollowedMatch(LiveMatch):
    """A match of the host in one of its fronts, which decides nothing. `said` is what the host said last."""

    __slots__ = ("said", "used_at")

    said: HostSays

    def __init__(self, live: LiveMatch) -> None:
        # A list of its own: who followed it before may still be reading events.
        super().__init__(live.id, live.state, list(live.events))
        self.used_at = time.monotonic()

    def read_on(self, events: Sequence[LogEvent]) -> None:
        """Add these events, which follow in the log."""
        state = self.state
        for event in events:
            state = evolve(state, event)
        self.state = state
        self.events.extend(events)


def _beside(said: dict[str, Any]) -> Beside:
    series = said.get("series")
    return heard_as(Beside, {**said, "series": series and heard_as(Series, series)})
