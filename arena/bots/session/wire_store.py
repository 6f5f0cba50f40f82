"""Stores wires in the database, from a separate thread: a few seconds after the messages, or when the match is over,
which leaves a single row for each seat.

No move waits for a wire: if storing fails, messages are lost, and that is logged. On SQLite the thread commits without
waiting for the disk, so that it holds the database's only lock for a fraction of a millisecond.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import NamedTuple, TypeVar

from django.db import Error, connection, transaction
from django.db.models import Max

from arena.bots.session.wire import Wire, lines_of
from arena.core.hub import Hub, LiveMatch
from arena.match.wire_messages import Message
from arena.match.wire_pack import FAST, SMALL, BadWire, PackedWire, pack, pieces, unpack
from arena.models import Seat, WireChunk

log = logging.getLogger("arena.bots")

# How often to look for messages to store: those of finished matches, and others that have waited this long or are this
# many. So a match of fast bots is stored once, not every second.
FLUSH_S, WAITS_S, MOST_WAITING = 1.0, 5.0, 1_000
MOST_ROWS_AT_ONCE = 100
UNREADABLE = b"What went over this wire cannot be read."

T = TypeVar("T")


class Part(NamedTuple):
    """The new messages of one wire; `over`: its match has ended."""

    match: str
    seat: int
    wire: Wire
    messages: list[Message]
    over: bool


class WireStore:
    """Stores the wires of all matches of a hub. Create, use and close it in the loop's thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="arena-wires")
        self._flushing = self._loop.create_task(self._flush_for_ever())

    async def read(self, live: LiveMatch, seat: int) -> str:
        """The whole wire of a seat so far as JSON lines, "" if there is none."""
        await self.flush([live])
        return await self._in_thread(lambda: stored_wire(live.id, seat))

    async def read_on(self, live: LiveMatch, seat: int, after: int) -> tuple[str, int]:
        """The messages stored after number `after` (0 for all), and the number of the last message."""
        await self.flush([live])
        return await self._in_thread(lambda: _read_on(live.id, seat, after))

    async def flush(self, lives: Iterable[LiveMatch]) -> None:
        """Store what is new in the wires of these matches."""
        await self._flush([part for live in lives for part in _new_in(live)])

    async def _flush(self, parts: list[Part]) -> None:
        if parts:
            await self._in_thread(lambda: _store(parts))

    async def close(self) -> None:
        """Store what is left, and end the thread."""
        self._flushing.cancel()
        await self.flush(self._hub.lives.values())
        await self._in_thread(lambda: connection.close())
        self._thread.shutdown()

    async def _flush_for_ever(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_S)
            try:
                due = time.monotonic() - WAITS_S
                await self._flush([part for live in self._hub.lives.values() for part in _new_in(live, due)])
            except Exception:
                log.exception("wires could not be stored; the next second tries again with what is new")

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._thread, work)


# Finds the seats by itself: with a query for them, and rows of the ORM, it costs as much as storing the log.
ADD = """
WITH said (match, seat, n, packed) AS (VALUES {rows})
INSERT INTO arena_wirechunk (seat_id, n, jsonl, packed)
SELECT one.id, said.n, '', said.packed FROM said
JOIN arena_seat one ON one.match_id = said.match AND one.seat = said.seat
"""


def add_wires(wires: Mapping[str, Sequence[PackedWire]]) -> None:
    """Store the wires of both seats of matches that came whole, in the transaction that stores their logs."""
    found = [(match, seat, *wire) for match, both in wires.items() for seat, wire in enumerate(both) if wire.number]
    for first in range(0, len(found), MOST_ROWS_AT_ONCE):
        rows = found[first : first + MOST_ROWS_AT_ONCE]
        with connection.cursor() as cursor:
            cursor.execute(ADD.replace("{rows}", ", ".join(["(%s, %s, %s, %s)"] * len(rows))), list(chain(*rows)))


def store_wires(wires: Mapping[str, Sequence[PackedWire]]) -> None:
    """The same after their logs are stored, which matter more."""
    try:
        add_wires(wires)
    except Error as error:
        log.warning("what the bots of %d matches said is lost: %s", len(wires), error)
        connection.close()


def _new_in(live: LiveMatch, due: float = math.inf) -> list[Part]:
    """The messages not yet stored; of a running match only if they are many or older than `due`."""
    return [
        Part(live.id, seat, wire, wire.take(), live.over)
        for seat, wire in enumerate(live.wires)
        if wire is not None
        and wire.messages
        and (live.over or wire.messages[0][0] < due or len(wire.messages) > MOST_WAITING)
    ]


# -- in the thread -----------------------------------------------------------------------------------------------------


def _store(parts: list[Part]) -> None:
    """Store parts. Seats get rows before their bots: one without a row is in a match that is not stored."""
    try:
        if connection.connection is not None and not connection.is_usable():
            connection.close()  # a database that was started again does not know it
        _do_not_wait_for_the_disk()
        _find_rows([part for part in parts if part.wire.row is None])
        known = [part for part in parts if part.wire.row is not None]
        _find_numbers([part.wire for part in known if part.wire.stored is None])
        _write([part for part in known if part.wire.row is not None])
    except Error as error:
        log.warning("the wires of %d seats have a gap: %s", len(parts), error)
        for part in parts:
            part.wire.stored = None
        connection.close()


def _write(parts: Sequence[Part]) -> None:
    """Add what is new; when the match is over, one row replaces all rows of the seat."""
    begun = [part.wire.row for part in parts if part.over and part.wire.stored]
    earlier = _packed(begun) if begun else {}
    rows = [row for part in parts for row in _rows(part, earlier.get(part.wire.row, []))]
    with transaction.atomic():
        if earlier:
            WireChunk.objects.filter(seat__in=earlier, packed__isnull=False).delete()
        for start in range(0, len(rows), MOST_ROWS_AT_ONCE):
            WireChunk.objects.bulk_create(rows[start : start + MOST_ROWS_AT_ONCE])


def _packed(seats: list[int | None]) -> dict[int | None, list[Message]]:
    """The messages already stored for these seats, without rows of earlier releases."""
    found: dict[int | None, list[Message]] = {}
    rows = WireChunk.objects.filter(seat__in=seats, packed__isnull=False).order_by("n")
    for seat, packed in rows.values_list("seat", "packed"):
        if packed is not None:
            found.setdefault(seat, []).extend(unpack(packed))
    return found


def _do_not_wait_for_the_disk() -> None:
    if connection.vendor == "sqlite" and connection.connection is None:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous = NORMAL")


def _find_rows(parts: list[Part]) -> None:
    matches = {part.match for part in parts}
    found = Seat.objects.filter(match__in=matches).values_list("match_id", "seat", "pk") if matches else ()
    rows = {(match, seat): row for match, seat, row in found}
    for part in parts:
        part.wire.row = rows.get((part.match, part.seat))


def _find_numbers(wires: list[Wire]) -> None:
    seats = [wire.row for wire in wires]
    last = WireChunk.objects.filter(seat__in=seats).values_list("seat").annotate(Max("n")) if seats else ()
    numbers = dict(last)
    for wire in wires:
        wire.stored = numbers.get(wire.row, 0)


def _rows(part: Part, earlier: list[Message]) -> list[WireChunk]:
    wire = part.wire
    assert wire.row is not None and wire.stored is not None, "both were looked up"
    time.sleep(0)  # lets the loop run first
    kept, rows = wire.kept(part.messages), []
    for piece in [kept] if part.over else pieces(kept, WireChunk.MOST_BYTES):
        wire.stored += len(piece)
        packed = pack([*earlier, *piece], SMALL if part.over else FAST)
        rows.append(WireChunk(seat_id=wire.row, n=wire.stored, jsonl="", packed=packed))
    return rows


def stored_messages(match: str, seat: int) -> list[Message]:
    """The original wire of a seat. Raises ValueError if only its visible form was stored, or it cannot be read."""
    messages = list[Message]()
    stored = WireChunk.objects.filter(seat__match=match, seat__seat=seat).order_by("n")
    for packed in stored.values_list("packed", flat=True):
        if packed is None:
            raise ValueError("the release that played it kept what is shown of its wires, not their bytes")
        messages += unpack(packed)
    return messages


def stored_wire(match: str, seat: int) -> str:
    """The whole stored wire of a seat as JSON lines."""
    return _read_on(match, seat, 0)[0]


def messages_in(packed: bytes | memoryview) -> list[Message]:
    """The messages of a row, for people. A worker may have sent what cannot be read; then that is all there is."""
    try:
        return unpack(packed)
    except BadWire as why:
        log.warning("a wire cannot be read: %s", why)
        return [(0.0, "err", UNREADABLE, 0)]


def _read_on(match: str, seat: int, after: int) -> tuple[str, int]:
    stored = WireChunk.objects.filter(seat__match=match, seat__seat=seat, n__gt=after).order_by("n")
    texts, messages, last = [], list[Message](), after
    for last, jsonl, packed in stored.values_list("n", "jsonl", "packed"):
        texts.append(jsonl)
        if packed is not None:
            found = messages_in(packed)
            messages += found[max(0, after - (last - len(found))) :]
    return "".join([*texts, *(f"{line}\n" for line in lines_of(messages))]), last
