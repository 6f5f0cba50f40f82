"""Durable moves a second: the ledger with 1, 20 and 200 matches, against one transaction for each move.

All write with `synchronous=FULL` to the same disk, in turns. As in play, only one move of a match is in flight at a
time: the next is appended once the last one is stored. Wall time is measured, because most of it is spent waiting for
the disk. The references:

* a consumer of Channels: one ORM transaction a move that updates the match and inserts the move, by
  `database_sync_to_async`, for 20 matches at once;
* a lone ORM insert, in a plain thread that does nothing else;
* SQLite itself: its own module, 20 ready rows a transaction: no store in Python can do more than that.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from statistics import median

from channels.db import database_sync_to_async
from django.db import connection, transaction

from arena.core.ledger import Ledger
from arena.core.log_store import Append
from arena.match.decide import open_match
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Event as EventRow
from arena.models import Match
from tests.kit.storage import Database
from tools.bench.figures import Figure, raised, repeated
from tools.bench.load import MOST, of_others

MATCHES = (1, 20, 200)
GOALS = {20: 50.0}
SETUP = Setup("connect-four-7x6", (SeatSetup("a"), SeatSetup("b")))

ROW = (
    "INSERT INTO arena_event (match_id, seq, at, kind, ply, seat, move, elapsed_ms, left0_ms, left1_ms, actor, data) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
AT = "2026-01-31 12:00:00.123456"

_numbers = count()


def run(windows: int = 5, seconds: float = 0.6, most: float = MOST) -> Iterator[Figure]:
    """Raises TooBusy."""
    rates: dict[object, list[float]] = defaultdict(list)
    loads = list[float]()
    for _ in range(windows):
        loads.append(of_others(most))
        rates["consumer"].append(asyncio.run(in_consumers(20, seconds)))
        rates["insert"].append(one_insert_a_move(seconds))
        rates["sqlite"].append(sqlite_alone(20, seconds))
        for matches in MATCHES:
            rates[matches].append(asyncio.run(through_the_ledger(matches, seconds)))
    print(f"  others took {median(loads):.0%} of the machine, at most {max(loads):.0%}, before each repeat")
    yield from _figures(rates)


def _figures(rates: dict[object, list[float]]) -> Iterator[Figure]:
    rate = {name: median(some) for name, some in rates.items()}
    for matches in MATCHES:
        detail = f"{rate[matches]:,.0f} durable moves/s, consumers {rate['consumer']:,.0f}"
        ratios = _ratios(rates[matches], rates["consumer"])
        yield repeated(f"{matches:3} at once / consumers", ratios, GOALS.get(matches), detail)
    for name, what in (("insert", "a lone ORM insert"), ("sqlite", "SQLite itself")):
        detail = f"which makes {rate[name]:,.0f} moves/s"
        yield repeated(f" 20 at once / {what}", _ratios(rates[20], rates[name]), None, detail)


def _ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """The ratios, one for each repeat."""
    return [one / other for one, other in zip(ours, theirs, strict=True)]


async def in_consumers(matches: int, seconds: float) -> float:
    """Moves a second of this many consumers, each of which stores its own match."""
    opened = [await database_sync_to_async(_opened)() for _ in range(matches)]
    begin = time.perf_counter()
    made = await asyncio.gather(*[_consumer(match, begin + seconds) for match in opened])
    return sum(made) / (time.perf_counter() - begin)


async def _consumer(match: str, end: float) -> int:
    """Stores at least one move, however slow the machine is."""
    ply = 0
    while not ply or time.perf_counter() < end:
        ply += 1
        await database_sync_to_async(_store)(match, ply)
    return ply


def _store(match: str, ply: int) -> None:
    with transaction.atomic():
        Match.objects.filter(pk=match).update(plies=ply)
        EventRow.objects.create(match_id=match, **_move(ply)._asdict())


def one_insert_a_move(seconds: float) -> float:
    match, ply, begin = _opened(), 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        ply += 1
        EventRow.objects.create(match_id=match, **_move(ply)._asdict())
    return ply / (time.perf_counter() - begin)


def sqlite_alone(matches: int, seconds: float) -> float:
    opened = [_opened() for _ in range(matches)]
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = FULL")
        ply, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < seconds:
            ply += 1
            database.execute("BEGIN IMMEDIATE")
            database.executemany(
                ROW, [(match, ply + 1, AT, "move", ply, 0, "4", 12, 5, 5, "", "{}") for match in opened]
            )
            database.execute("COMMIT")
        return matches * ply / (time.perf_counter() - begin)


async def through_the_ledger(matches: int, seconds: float) -> float:
    """Moves a second of this many matches, each of which waits until its last move is stored."""
    ledger = Ledger(Database(), raised)
    rows = [Row(ledger) for _ in range(matches)]
    await asyncio.gather(*[row.open() for row in rows])
    begin = time.perf_counter()
    for row in rows:
        row.next()
    await asyncio.sleep(seconds)
    made, took = sum(row.ply for row in rows), time.perf_counter() - begin
    for row in rows:
        row.stop()
    await ledger.close()
    return made / took


class Row:
    """One match, whose moves are appended as fast as possible."""

    def __init__(self, ledger: Ledger) -> None:
        self.match = _new_id()
        self.ply = 0
        self._ledger = ledger
        self._going = True

    async def open(self) -> None:
        stored: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        self._ledger.append(self.match, open_match(SETUP, datetime.now(UTC)), stored.set_result)
        raised(await stored)

    def next(self) -> None:
        self._ledger.append(self.match, (_move(self.ply + 1),), self._stored)

    def _stored(self, error: Exception | None) -> None:
        raised(error)
        self.ply += 1
        if self._going:
            self.next()

    def stop(self) -> None:
        self._going = False


def _new_id() -> str:
    return f"m{next(_numbers)}"


def _opened() -> str:
    match = _new_id()
    Database().write([Append(match, open_match(SETUP, datetime.now(UTC)), raised)])
    return match


def _move(ply: int) -> LogEvent:
    return LogEvent(ply + 1, datetime.now(UTC), "move", ply, (ply - 1) % 2, "4", 12, 5000, 5000)
