"""Who has solved which puzzle, how that changed the ratings of both, and which puzzle is next. For threads.

A try is rated as a match between the player and the puzzle, once: trying again is practice. The puzzle of a day (UTC)
is the same for everybody, and is chosen among those there were when the day began.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef

from arena.match.ladder import NEW, LadderStanding, after_match
from arena.models import Puzzle, PuzzleStanding, PuzzleTry
from arena.models.rating import Ladder

NUMBERS = LadderStanding._fields
# Who opens the puzzle of a day before midnight (UTC) has so long to answer it.
LATE = timedelta(hours=1)


class Counted(NamedTuple):
    """What an answer did: the player's points before and after it; None if it was not the first."""

    before: float | None
    after: float | None


def daily(today: date) -> Puzzle | None:
    """The puzzle of the day; on the first day there are any, the first one. None while there is none."""
    begins = datetime.combine(today, time(), UTC)
    last = Puzzle.objects.filter(made__lt=begins).order_by("-pk").values_list("pk", flat=True).first()
    if last is None:
        return Puzzle.objects.order_by("pk").first()
    drawn = int.from_bytes(hashlib.sha256(today.isoformat().encode()).digest()[:8]) % last + 1
    return Puzzle.objects.filter(pk__gte=drawn).order_by("pk").first()


def untried(player: int | None, variant: str = "") -> Puzzle | None:
    """The puzzle nearest to the player's points that they have not answered; None if there is none left."""
    left = Puzzle.objects.all()
    if variant:
        left = left.filter(variant=variant)
    points = NEW.points
    if player is not None:
        answered = PuzzleTry.objects.filter(player=player, puzzle=OuterRef("pk"), solved__isnull=False)
        left = left.filter(~Exists(answered))
        points = PuzzleStanding.objects.filter(pk=player).values_list("points", flat=True).first() or points
    ends = [
        left.filter(points__gte=points).order_by("points", "pk").first(),
        left.filter(points__lt=points).order_by("-points", "pk").first(),
    ]
    return min((each for each in ends if each), key=lambda each: abs(each.points - points), default=None)


def hint(player: int, puzzle: int) -> None:
    """The player has asked for a hint; after the answer it changes nothing."""
    PuzzleTry.objects.get_or_create(player_id=player, puzzle_id=puzzle)
    PuzzleTry.objects.filter(player=player, puzzle=puzzle, solved=None).update(hinted=True)


def answered(player: int, puzzle: int, right: bool, now: datetime) -> Counted:
    """The player has answered. Of all answers the first one is rated, of those on its day the first counts for the row
    of days. With a hint half of the points are gained.
    """
    day = _day_of(puzzle, now)
    with transaction.atomic():
        PuzzleStanding.objects.get_or_create(player_id=player)
        standing = PuzzleStanding.objects.select_for_update().get(player=player)
        tried, _ = PuzzleTry.objects.get_or_create(player_id=player, puzzle_id=puzzle)
        counted = _rated(standing, tried, right, now) if tried.solved is None else Counted(None, None)
        if day is not None and tried.day != day:
            tried.day = day
            if right and (standing.solved_day is None or standing.solved_day < day):
                _lengthen(standing, day)
        tried.save()
        standing.save()
    return counted


def _day_of(puzzle: int, now: datetime) -> date | None:
    """The day whose puzzle this is: for a while after midnight also the last one, when it may have been opened."""
    days = ((now - late).astimezone(UTC).date() for late in (timedelta(), LATE))
    return next((day for day in days if (of_day := daily(day)) is not None and of_day.pk == puzzle), None)


def streak_on(standing: PuzzleStanding | None, today: date) -> int:
    """For how many days in a row the daily puzzle was solved, if it may still be solved today."""
    if standing is None or standing.solved_day is None or standing.solved_day < today - timedelta(days=1):
        return 0
    return standing.streak


def _rated(standing: PuzzleStanding, tried: PuzzleTry, right: bool, now: datetime) -> Counted:
    puzzle = Puzzle.objects.select_for_update().get(pk=tried.puzzle_id)
    mine, its = after_match(_numbers(standing), _numbers(puzzle), float(right), now)
    before = standing.points
    if tried.hinted and mine.points > before:
        mine = mine._replace(points=(before + mine.points) / 2)
    _put(standing, mine)
    _put(puzzle, its)
    puzzle.save(update_fields=NUMBERS)
    tried.solved, tried.before, tried.after = right, before, mine.points
    return Counted(before, mine.points)


def _lengthen(standing: PuzzleStanding, day: date) -> None:
    standing.streak = streak_on(standing, day) + 1
    standing.best = max(standing.best, standing.streak)
    standing.solved_day = day


def _numbers(row: Ladder) -> LadderStanding:
    return LadderStanding(*(getattr(row, name) for name in NUMBERS))


def _put(row: Ladder, numbers: LadderStanding) -> None:
    for name, value in numbers._asdict().items():
        setattr(row, name, value)
