"""Reads logs whole, whether all of their events are rows, or only those from the ending on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from django.db.models import QuerySet

from arena import paths
from arena.match.packed_log import BadPacked, unpack
from arena.match.state import LogEvent
from arena.models.match import Event


class DamagedLog(ValueError):
    """The packed part of a log cannot be read. The message names the match and says what to do."""


def log_of(match: str) -> list[LogEvent]:
    """The log of a match as it is stored, empty if there is none. Raises DamagedLog."""
    return next((events for _, events in logs_of(Event.objects.filter(match=match))), [])


def logs_of(rows: QuerySet[Event]) -> Iterator[tuple[str, list[LogEvent]]]:
    """Whole logs in the order of their numbers, in one query, from all rows of the matches. Raises DamagedLog."""
    found = rows.order_by("match_id", "seq").values_list("match_id", *LogEvent._fields, "packed__events")
    for match, of_match in groupby(found, itemgetter(0)):
        yield match, whole(match, ((LogEvent._make(row[1:-1]), row[-1]) for row in of_match))


def whole(match: str, rows: Iterable[tuple[LogEvent, bytes | memoryview | None]]) -> list[LogEvent]:
    """The events of these rows of a match, in order. What is packed with an ending comes before it."""
    events: list[LogEvent] = []
    for event, packed in rows:
        if packed is not None:
            events += unpacked(match, packed)[0]
        events.append(event)
    return events


def unpacked(match: str, packed: bytes | memoryview) -> tuple[list[LogEvent], list[int | None]]:
    """The packed events of a match, and the host that wrote each. Raises DamagedLog."""
    try:
        return unpack(packed)
    except BadPacked as why:
        raise DamagedLog(
            f"the packed log of match {match} cannot be read: {why}. Its row in arena_packedlog has to be restored from"
            f" a backup; {paths.PROGRAM} replay --match {match} says whether it is right"
        ) from why
