"""A match that its worker reports while it plays: slices open and continue its log, and the answer ends it.

What has been stored and shown stands, and whatever comes later must continue exactly that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from arena.match.export import from_rows
from arena.match.ids import ALPHABET, LETTERS, id_at
from arena.match.returned import judged_return, why_not
from arena.match.state import LogEvent, Setup
from arena.play.driver import Log as Played
from arena.play.setups import setup_of
from arena.play.spec import Spec
from arena.work.rows import AnswerRefused

# Fields that the host adds to the setup with which a log begins.
PLACE = "played_on"
# A worker's clock may differ from ours by this much; beyond that, its times of day are moved.
CLOCKS_DIFFER = timedelta(seconds=2)

Log = Sequence[LogEvent]


class NotContinued(Exception):
    """The match is no longer open, so nothing can continue it."""


def name_of(said: Any, since: float, now: float) -> str:
    """The name that a worker gave its match, empty if we could not have given it in that time."""
    if not isinstance(said, str) or len(said) != LETTERS or not set(said) <= set(ALPHABET):
        return ""
    differ = CLOCKS_DIFFER.total_seconds()
    return said if id_at(since - differ) <= said <= id_at(now + differ) else ""


def checked(work: dict[str, Any], found: Any) -> Played:
    """The log in an answer. Raises AnswerRefused if it is not that of the requested match."""
    try:
        (data,) = found["logs"]
        events = from_rows(data["events"])
    except Exception as why:  # whatever JSON can hold may stand there
        raise AnswerRefused(f"it cannot be read: {why!r}") from None
    spec = Spec.from_data(work["spec"])
    wrong, state = judged_return(events, setup_of(spec, spec.only[0] if spec.only else 1))
    if wrong:
        raise AnswerRefused(wrong)
    try:
        log = Played.from_data(data, events, state)
        if type(log.stalled_ms) is not int:
            raise TypeError(f"stalled_ms is {log.stalled_ms!r}")
        return log
    except Exception as why:
        raise AnswerRefused(f"what it says beside its events cannot be read: {why!r}") from None


def slice_of(found: Any, stored: Log, setup: Setup) -> tuple[LogEvent, ...]:
    """The events of a slice, which continue what is stored. Raises AnswerRefused if they do not, or never could."""
    try:
        events = from_rows(found["events"])
    except Exception as why:  # any JSON value may stand there
        raise AnswerRefused(f"it cannot be read: {why!r}") from None
    if found.get("base") != len(stored) or not events:
        raise AnswerRefused(f"a slice after event {found.get('base')!r} cannot follow event {len(stored)}")
    if wrong := why_not([*_as_told(stored), *events], setup, is_whole=False):
        raise AnswerRefused(wrong)
    return events


def rest_of(events: Log, stored: Log) -> tuple[LogEvent, ...]:
    """What this whole log of an answer adds to the stored events. Raises AnswerRefused if they contradict."""
    said = [event._replace(at=known.at) for event, known in zip(events, stored, strict=False)]
    if said != _as_told(stored):
        number = next(
            (n for n, (one, other) in enumerate(zip(said, _as_told(stored), strict=False)) if one != other), 0
        )
        raise AnswerRefused(f"event {number + 1} is not what was told of it while the match was played")
    return tuple(events[len(stored) :])


def at_our_time(events: tuple[LogEvent, ...], now: datetime) -> tuple[LogEvent, ...]:
    """The same events with times of day that our clock could have shown: the last one just now, and none later.

    Nothing is judged by them, but people and lists rely on them. Raises AnswerRefused for times that lie ages apart.
    """
    ahead = events[-1].at - now
    if -CLOCKS_DIFFER <= ahead <= timedelta(0):
        ahead = timedelta(0)
        if all(earlier.at <= event.at for earlier, event in pairwise(events)):
            return events
    last, moved = events[-1].at - ahead, []
    try:
        for event in reversed(events):
            last = min(last, event.at - ahead)
            moved.append(LogEvent(event[0], last, *event[2:]))
    except OverflowError as why:
        raise AnswerRefused(f"its times of day lie too far apart: {why}") from None
    return tuple(reversed(moved))


def not_before(earliest: datetime, events: Log) -> tuple[LogEvent, ...]:
    """The same events with times of day that are no earlier than this."""
    return tuple(event._replace(at=max(event.at, earliest)) for event in events)


def must_be_open(read: Callable[[str], list[LogEvent]], match: str) -> list[LogEvent]:
    """The stored part of the match. Raises NotContinued if something has ended it."""
    stored = read(match)
    if not stored or any(event.kind == "ended" for event in stored):
        raise NotContinued(f"match {match} has ended otherwise")
    return stored


def _as_told(stored: Log) -> list[LogEvent]:
    if not stored:
        return []
    opened = stored[0]
    data = {name: value for name, value in opened.data.items() if name != PLACE}
    return [opened._replace(data=data), *stored[1:]]
