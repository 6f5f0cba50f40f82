"""Packs the logs of matches that have been over for a while, a few at a time, in the order of their endings.

`ended` stays a row, because ratings refer to it, and rulings and notes follow it. The events before it become one row
of `PackedLog`, in the transaction that deletes them. From then on the key of the match's own row ensures that it begins
only once. None of this depends on the lease: of two processes that pack the same log, one fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Any, NamedTuple

from channels.db import database_sync_to_async
from django.db import DatabaseError, Error, connection, transaction
from django.db.models import Max

from arena.common.logs import about
from arena.match.packed_log import pack, unpack
from arena.match.state import LogEvent
from arena.models import Event, PackedLog
from arena.models.whole_logs import DamagedLog, unpacked

log = logging.getLogger("arena.core.packing")

# Until then the moves stay rows, for the figures of the last minutes and for readers who have the match open.
KEPT_AS_ROWS = timedelta(hours=1)
# A running server never waits longer than one portion takes, a few milliseconds.
MATCHES_AT_ONCE = 10
# How often to look if nothing is due, how long a sweep may take, and how long it rests after a portion, as a multiple
# of what that took. So it takes at most a tenth of a processor, also after an upgrade with millions of logs.
LOOK_S, LONGEST_S, REST = 60.0, 5.0, 5.0


class _Before(NamedTuple):
    """The events of a match before `ended`, whose row is `ended` and whose number is `seq`."""

    match: str
    ended: int
    seq: int
    rows: int
    packed: bytes


class Packer:
    """The host's side: `sweep` is called every few seconds."""

    def __init__(self) -> None:
        self._after: int | None = None
        self._look_at = 0.0

    async def sweep(self) -> None:
        """Pack what is due, with pauses, for a while."""
        now = asyncio.get_running_loop().time
        until = now() + LONGEST_S
        while self._look_at <= now() < until:
            began = now()
            if not await database_sync_to_async(self._pack, thread_sensitive=False)():
                self._look_at = now() + LOOK_S
            await asyncio.sleep(REST * (now() - began))

    def _pack(self) -> bool:
        """Pack a portion. Returns False if nothing more is due."""
        try:
            if self._after is None:
                self._after = PackedLog.objects.aggregate(last=Max("pk"))["last"] or 0
            last = pack_next(self._after, datetime.now(UTC) - KEPT_AS_ROWS)
            self._after = last or self._after
            return last is not None
        except Error as why:
            log.warning("logs of matches that are over could not be packed, which is tried again: %s", why)
            self._after = None
            return False
        finally:
            connection.close()


def pack_next(after: int, before: datetime, most: int = MATCHES_AT_ONCE) -> int | None:
    """Pack the next logs whose `ended` has a row after `after` and came before `before`. Returns the last row looked
    at, None if none is due.
    """
    rows = Event.objects.filter(kind=Event.Kind.ENDED, pk__gt=after).order_by("pk")
    ended = list(takewhile(lambda row: row[3] < before, rows.values_list("pk", "match_id", "seq", "at")[:most]))
    if not ended:
        return None
    _store(list(_to_pack([row[:3] for row in ended])))
    return ended[-1][0]


def _to_pack(ended: Sequence[tuple[int, str, int]]) -> Iterator[_Before]:
    """The events before these endings, if they are not packed yet and can be."""
    ends = {match: (row, seq) for row, match, seq in ended}
    rows = Event.objects.filter(match__in=ends).order_by("match_id", "seq")
    for match, of_match in groupby(rows.values_list("match_id", *LogEvent._fields, "epoch"), itemgetter(0)):
        row, seq = ends[match]
        before = [each[1:] for each in of_match if each[1] < seq]
        if before and (packed := _packed(match, before)):
            yield _Before(match, row, seq, len(before), packed)


def _packed(match: str, rows: Sequence[tuple[Any, ...]]) -> bytes:
    """The packed rows; b"" if unpacking would not restore them exactly, so that they have to stay."""
    events, epochs = [LogEvent._make(row[:-1]) for row in rows], [row[-1] for row in rows]
    try:
        packed = pack(events, epochs)
        if unpack(packed) == (events, epochs):
            return packed
    except (TypeError, ValueError) as why:
        log.error("match %s: its log cannot be packed, and stays as it is: %s", match, why, extra=about(match))
        return b""
    log.error("match %s: its log would not be the same, and stays as it is", match, extra=about(match))
    return b""


def _store(found: Sequence[_Before]) -> None:
    """Replace the rows of all these logs, or of none."""
    with transaction.atomic(), connection.cursor() as cursor:
        PackedLog.objects.bulk_create([PackedLog(ended_id=each.ended, events=each.packed) for each in found])
        for each in found:
            cursor.execute(_DELETE, (each.match, each.seq))
            if cursor.rowcount != each.rows:
                raise DatabaseError(f"the log of match {each.match} has changed meanwhile")


_TABLE = Event._meta.db_table
_DELETE = f"DELETE FROM {_TABLE} WHERE match_id = %s AND seq < %s"


def unpack_all() -> tuple[int, list[DamagedLog]]:
    """Write packed logs as rows again, for a release that cannot read them. Returns how many, and the unreadable."""
    done, damaged = 0, list[DamagedLog]()
    for ended in PackedLog.objects.order_by("pk").values_list("pk", flat=True):
        try:
            with transaction.atomic():
                _unpack(PackedLog.objects.select_related("ended").get(pk=ended))
            done += 1
        except DamagedLog as why:
            damaged.append(why)
    return done, damaged


def _unpack(row: PackedLog) -> None:
    match = row.ended.match_id
    events = zip(*unpacked(match, row.events), strict=True)
    Event.objects.bulk_create(Event(match_id=match, epoch=epoch, **event._asdict()) for event, epoch in events)
    row.delete()
