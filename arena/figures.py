"""The state of the host for the people who run it: current numbers each second, and a row a minute for graphs. Pages
read these; moves and times to think are counted from the log.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from channels.db import database_sync_to_async
from django.db import Error, connection
from django.db.models import Exists, OuterRef

from arena.bots.session import tokens
from arena.cluster.bus import heard_as
from arena.common.detached import begin
from arena.common.logs import recent_errors
from arena.common.metrics import Middle, Spread
from arena.core.hub import Hub
from arena.core.ledger import Ledger
from arena.models import Event, Minute, Seat
from arena.rooms.draining import Draining
from arena.rooms.lobby import Lobby

log = logging.getLogger("arena.figures")

EVERY_S = 1.0
KEPT = timedelta(hours=25)
# How many of the newest moves say how long bots think, and how many errors are kept with their minute.
MOST_MOVES, MOST_LINES = 10_000, 20

# Called in every process that is told the numbers, each time they are.
on_publish: list[Callable[[], None]] = []
_published: list[Present] = []


class Present(NamedTuple):
    """What there is at this moment. `bots` are connected, `viewers` are pages that look at a match. From `closes` on
    nothing new begins, because the server is to stop.
    """

    at: datetime
    matches: int = 0
    paused: int = 0
    rooms: int = 0
    bots: int = 0
    bots_playing: int = 0
    viewers: int = 0
    errors: int = 0
    closes: datetime | None = None

    def to_json(self) -> dict[str, Any]:
        closes = self.closes.timestamp() if self.closes else None
        return {**self._asdict(), "at": self.at.timestamp(), "closes": closes}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Present:
        closes = said.get("closes")
        closes = datetime.fromtimestamp(closes, UTC) if closes is not None else None
        return heard_as(cls, {**said, "at": datetime.fromtimestamp(said["at"], UTC), "closes": closes})


def present() -> Present | None:
    """The numbers that were published last, None in a process that has heard none."""
    return _published[-1] if _published else None


def hear(numbers: Present) -> None:
    """Take the current numbers, as the host or as a front that was told by its host."""
    _published[:] = [numbers]
    for told in tuple(on_publish):
        told()


class Figures:
    """Publishes the present numbers each second, and writes each minute down when it is over."""

    def __init__(self, hub: Hub, ledger: Ledger, lobby: Lobby, draining: Draining) -> None:
        self._hub, self._ledger, self._lobby = hub, ledger, lobby
        self.draining = draining
        draining.on_order = self.publish
        self._task: asyncio.Task[None] | None = None
        self._since = time.monotonic()
        self._last_event = 0

    def start(self) -> None:
        self.publish()
        self._task = begin(self._run())

    async def stop(self) -> None:
        _published.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        minute = _minute(datetime.now(UTC))
        while True:
            await asyncio.sleep(EVERY_S)
            numbers = self.publish()
            if _minute(numbers.at) != minute:
                await self.write(minute, numbers)
                minute = _minute(numbers.at)

    def publish(self) -> Present:
        numbers = self._count()
        hear(numbers)
        return numbers

    def _count(self) -> Present:
        running = self._hub.running()
        connected = tokens.players()
        playing = {seat.player or id(seat) for live in running for seat in live.state.setup.seats if seat.kind == "bot"}
        return Present(
            at=datetime.now(UTC),
            matches=len(running),
            paused=sum(live.state.phase == "paused" for live in running),
            rooms=len(self._lobby.open_rooms()),
            bots=len(set(connected) | playing),
            bots_playing=len(playing),
            viewers=sum(live.readers(each) for live in self._hub.lives.values() for each in live.viewers),
            errors=recent_errors.count(),
            closes=self.draining.at,
        )

    async def write(self, minute: datetime, numbers: Present) -> None:
        """Put the minute that began then on record. What cannot be written is left out, and play goes on."""
        since, self._since = self._since, time.monotonic()
        lines = recent_errors.since(since)
        commits = self._ledger.commits.last.take() or Middle(0, 0, 0)
        row: dict[str, Any] = {
            "at": minute,
            "matches": numbers.matches,
            "rooms": numbers.rooms,
            "bots": numbers.bots,
            "viewers": numbers.viewers,
            "commits": commits.number,
            "commit_median_us": round(commits.median * 1e6) if commits.number else None,
            "commit_p99_us": round(commits.p99 * 1e6) if commits.number else None,
            "errors": len(lines),
            "lines": [
                {"at": each.at.isoformat(), "logger": each.logger, "message": each.message, "match": each.match}
                for each in lines[-MOST_LINES:]
            ],
        }
        try:
            self._last_event = await database_sync_to_async(_write, thread_sensitive=False)(row, self._last_event)
        except Error as error:
            log.warning("the figures of %s were not stored: %s", f"{minute:%H:%M}", error)


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


def _write(row: dict[str, Any], after: int) -> int:
    """Store the row with what the log has got since event `after`, and forget old ones. Returns the newest event.

    Of two hosts the first one's minute stays.
    """
    try:
        newest = Event.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        new = Event.objects.filter(pk__gt=after or newest - MOST_MOVES, pk__lte=newest)
        moves = new.filter(kind=Event.Kind.MOVE, at__gte=row["at"])
        by_bots = Seat.objects.filter(match=OuterRef("match"), seat=OuterRef("seat"), kind="bot")
        times = moves.filter(Exists(by_bots)).order_by("-pk").values_list("elapsed_ms", flat=True)[:MOST_MOVES]
        thinking = Spread()
        for elapsed_ms in times:
            thinking.add((elapsed_ms or 0) / 1000)
        thought = thinking.take()
        row |= {
            "moves": moves.count(),
            "think_median_ms": round(thought.median * 1000) if thought else None,
            "think_p99_ms": round(thought.p99 * 1000) if thought else None,
        }
        Minute.objects.bulk_create([Minute(**row)], ignore_conflicts=True)
        Minute.objects.filter(at__lt=row["at"] - KEPT).delete()
        return newest
    finally:
        connection.close()
