"""The analysis of finished matches as work: which, the job for the engine, what is stored and read."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

from arena.analysis.marks import Judged, Story
from arena.analysis.matches import Entry, choices, is_solvable, judged, played, told
from arena.cluster.lease import Fence
from arena.match.evolve import line
from arena.match.state import LogEvent, Setup
from arena.models import Analysis, Match, Mistake, Puzzle, Seat
from arena.models.whole_logs import log_of
from arena.work import kinds, rows
from arena.work.rows import Kind, WorkRun
from games import Position

log = logging.getLogger("arena.work")

KIND = kinds.ANALYSE
PRIORITY = -40
MOST_AT_ONCE = 500

Line = list[tuple[Position, str]]


def after(closing: Sequence[tuple[str, LogEvent]]) -> None:
    """Have the matches that end with these events analysed. Called in the transaction that stores the events."""
    if settings.ARENA_WORK_SLOTS or settings.ARENA_ENGINE:
        submit(match for match, event in closing if event.kind == "ended")


class Analysed(NamedTuple):
    """A match with its values by this version of the kernel, position by position, and their interpretation."""

    kernel: str
    choices: Sequence[Judged]
    story: Story


def submit(matches: Any) -> int:
    """Have these matches analysed, as far as something can be proved about them. Returns how many."""
    solvable = [match for match, variant in _not_analysed(list(matches)) if is_solvable(variant)]
    rows.submit(KIND, ((f"{KIND}:{match}", {"match": match}) for match in solvable), PRIORITY)
    return len(solvable)


# Through the ORM, this query after every match would cost more than storing the match.
NOT_ANALYSED = """
SELECT one.id, one.variant FROM arena_match one WHERE one.id IN ({matches}) AND one.plies > 0 AND one.ended IS NOT NULL
AND (one.kind IS NULL OR one.kind <> %s)
AND NOT EXISTS (SELECT 1 FROM arena_analysis found WHERE found.match_id = one.id)
"""


def _not_analysed(matches: list[str]) -> list[tuple[str, str]]:
    """These matches, with their variants, that have moves and an ending; samples are left out."""
    found: list[tuple[str, str]] = []
    for first in range(0, len(matches), MOST_AT_ONCE):
        some = matches[first : first + MOST_AT_ONCE]
        sql = NOT_ANALYSED.replace("{matches}", ", ".join(["%s"] * len(some)))
        with connection.cursor() as cursor:
            cursor.execute(sql, [*some, Match.Kind.SAMPLE.value])
            found += cursor.fetchall()
    return found


def job(spec: dict[str, Any]) -> dict[str, Any] | None:
    """The job for the engine: the moves of the match that were not taken back."""
    events = log_of(spec["match"])
    return job_of(events) if events else None


def job_of(events: Sequence[LogEvent]) -> dict[str, Any]:
    """The same for a log."""
    setup = Setup.from_data(events[0].data)
    moves = moves_of(line(events))
    return {"variant": setup.variant, "settings": dict(setup.settings), "moves": moves, "opening": opening_of(setup)}


def store(spec: dict[str, Any], found: dict[str, Any]) -> None:
    """Store the values, the players' mistakes, and the puzzles of a public match, replacing an older analysis."""
    row = {"kernel": found["kernel"], "values": pack(found["values"])}
    Analysis.objects.update_or_create(match_id=spec["match"], defaults=row)
    keep_mistakes(spec["match"], found["mistakes"])
    if found["puzzles"] and Match.objects.filter(pk=spec["match"], kind=None).exclude(room__private=True).exists():
        keep_puzzles(spec["match"], found)


def keep_mistakes(match: str, mistakes: Sequence[Sequence[int]]) -> None:
    """Add them for their players, except built-in players, who learn nothing."""
    seats = Seat.objects.filter(match=match, player__isnull=False).exclude(kind=Seat.Kind.BUILTIN)
    players = dict(seats.values_list("seat", "player"))
    rows = [Mistake(player_id=players[seat], match_id=match, ply=ply) for ply, seat in mistakes if seat in players]
    Mistake.objects.bulk_create(rows, ignore_conflicts=True)


class PositionAt(NamedTuple):
    """A position of an analysed match: the positions and moves that led to it, the values of its moves and the move
    that was `played`.
    """

    variant: str
    settings: dict[str, Any]
    course: Line
    values: list[Entry]
    played: str

    @property
    def choice(self) -> Judged:
        """The position as a choice. Raises ValueError if the values are not those of the position."""
        return judged(self.course[-1][0], self.values, self.played)


def position_at(match: str, ply: int) -> PositionAt:
    """The position after `ply` moves. Raises LookupError if there is none, or no analysis that can be read."""
    row, events = Analysis.objects.filter(match=match).first(), log_of(match)
    course = line(events) if events else []
    if row is None or not 0 <= ply < len(course) - 1:
        raise LookupError(f"match {match} has no analysed move {ply + 1}")
    try:
        values = unpack(bytes(row.values))[ply]
    except (TypeError, ValueError, zlib.error) as why:
        raise LookupError(f"the analysis of match {match} cannot be read: {why}") from None
    setup = Setup.from_data(events[0].data)
    return PositionAt(setup.variant, dict(setup.settings), course[: ply + 1], values, course[ply + 1][1])


def opening_of(setup: Setup) -> int:
    """How many of the first moves were not chosen by a player."""
    return len(setup.opening.split())


def keep_puzzles(match: str, found: dict[str, Any]) -> None:
    """Add the positions of the match that are puzzles and not stored yet."""
    job = job_of(log_of(match))
    positions = played(job)
    puzzles = [
        Puzzle(
            match_id=match,
            ply=ply,
            variant=job["variant"],
            key=key,
            position=str(positions[ply]),
            values=found["values"][ply],
        )
        for ply, key in found["puzzles"]
    ]
    Puzzle.objects.bulk_create(puzzles, ignore_conflicts=True)


def pack(values: Any) -> bytes:
    """Values in the form that the row stores: 250 bytes for a match of Connect Four."""
    return zlib.compress(json.dumps(values, separators=(",", ":")).encode(), 9)


def unpack(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed))


def moves_of(course: Line) -> list[str]:
    return [move for _, move in course[1:]]


def read(match: str, events: Sequence[LogEvent]) -> Analysed | None:
    """The analysis of the match of this log; one that does not fit is ignored, with a line in the log."""
    row = Analysis.objects.filter(match=match).first()
    if row is None:
        return None
    try:
        return analysed(events, row.kernel, unpack(bytes(row.values)))
    except (LookupError, TypeError, ValueError, zlib.error) as why:
        log.warning("match %s: its analysis cannot be read: %s", match, why)
        return None


def analysed(events: Sequence[LogEvent], kernel: str, values: Any) -> Analysed:
    """A log with its values. Raises ValueError if they are not those of this log."""
    course = line(events)
    positions, moves = [position for position, _ in course], moves_of(course)
    opening = opening_of(Setup.from_data(events[0].data))
    known = choices(positions, moves, values, opening)
    return Analysed(kernel, known, told(positions, moves, values, opening))


def _store(run: WorkRun, found: dict[str, Any], fence: Fence | None) -> bool:
    return rows.answer(run, lambda: store(run.spec, found), fence)


ANALYSE = Kind(kinds.WORKER_KINDS[KIND].function, lambda run: job(run.spec), _store)
