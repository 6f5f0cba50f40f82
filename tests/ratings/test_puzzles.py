"""What answers to puzzles do to ratings and rows of days, and which puzzle is for whom and when."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from arena.match.ladder import NEW, after_match
from arena.models import Match, Player, Puzzle, PuzzleStanding, PuzzleTry
from arena.ratings import puzzles

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)
VARIANT = "connect-four-7x6"


def a_player(name: str = "ada") -> Player:
    return Player.objects.create(kind="guest", name=name, slug=name)


def some_puzzles(number: int, made: datetime = NOW, variant: str = VARIANT) -> list[Puzzle]:
    Match.objects.get_or_create(id="m", defaults={"variant": variant, "opened": NOW})
    found = []
    for _ in range(number):
        key = str(Puzzle.objects.count())
        puzzle = Puzzle.objects.create(match_id="m", ply=7, variant=variant, key=key, position="", values=[])
        found.append(puzzle)
    Puzzle.objects.filter(pk__in=[puzzle.pk for puzzle in found]).update(made=made)
    return found


def test_a_first_answer_is_a_match_between_player_and_puzzle() -> None:
    player, [puzzle] = a_player(), some_puzzles(1)
    counted = puzzles.answered(player.pk, puzzle.pk, True, NOW)
    mine, its = after_match(NEW, NEW, 1, NOW)
    standing = PuzzleStanding.objects.get(pk=player.pk)
    puzzle.refresh_from_db()
    assert (standing.points, standing.deviation, standing.won) == (mine.points, mine.deviation, 1)
    assert (puzzle.points, puzzle.lost, puzzle.matches) == (its.points, 1, 1)
    assert counted == (1500, mine.points)
    assert puzzles.answered(player.pk, puzzle.pk, False, NOW) == (None, None)
    assert PuzzleStanding.objects.get(pk=player.pk).points == mine.points
    tried = PuzzleTry.objects.get()
    assert (tried.solved, tried.before, tried.after) == (True, 1500, mine.points)


def test_with_a_hint_half_of_it_is_gained_and_all_is_lost() -> None:
    [one, two] = some_puzzles(2)
    for name, right, share in (("ada", True, 0.5), ("bob", False, 1.0)):
        player, puzzle = a_player(name), one if right else two
        puzzles.hint(player.pk, puzzle.pk)
        puzzles.answered(player.pk, puzzle.pk, right, NOW)
        whole = after_match(NEW, NEW, float(right), NOW)[0].points - 1500
        assert PuzzleStanding.objects.get(pk=player.pk).points - 1500 == pytest.approx(share * whole)
        puzzles.hint(player.pk, puzzle.pk)
    assert [tried.hinted for tried in PuzzleTry.objects.order_by("pk")] == [True, True]


def test_a_row_of_days_grows_ends_and_is_remembered() -> None:
    player = a_player()
    some_puzzles(5, NOW - timedelta(days=9))
    lengths = []
    for day, right in enumerate([True, True, True, False, True, None, True]):
        now = NOW + timedelta(days=day)
        the_daily = puzzles.daily(now.date())
        assert the_daily is not None
        for again in (right, True):  # what is answered later on that day does not count
            if right is not None:
                puzzles.answered(player.pk, the_daily.pk, bool(again), now)
        lengths.append(puzzles.streak_on(PuzzleStanding.objects.get(pk=player.pk), now.date()))
    assert lengths == [1, 2, 3, 3, 1, 1, 1]
    standing = PuzzleStanding.objects.get(pk=player.pk)
    assert standing.best == 3
    assert standing.solved_day is not None
    assert puzzles.streak_on(standing, standing.solved_day + timedelta(days=2)) == 0
    assert puzzles.streak_on(None, NOW.date()) == 0


def test_who_answers_a_daily_puzzle_soon_after_midnight_has_solved_it_on_its_day() -> None:
    player = a_player()
    some_puzzles(50, NOW - timedelta(days=9))
    midnight = datetime(2026, 2, 1, tzinfo=UTC)
    first, second, third = [puzzles.daily(NOW.date() + timedelta(days=n)) for n in range(3)]
    assert first and second and third and len({first.pk, second.pk, third.pk}) == 3

    def streak(of: Puzzle, now: datetime) -> tuple[int, date | None]:
        puzzles.answered(player.pk, of.pk, True, now)
        standing = PuzzleStanding.objects.get(pk=player.pk)
        return standing.streak, standing.solved_day

    assert streak(first, midnight + timedelta(minutes=2)) == (1, NOW.date())
    assert streak(second, midnight + timedelta(minutes=5)) == (2, midnight.date()), "the new one counts as well"
    tomorrow = midnight + timedelta(days=1)
    assert streak(third, tomorrow + timedelta(minutes=1)) == (3, tomorrow.date())
    assert streak(second, tomorrow + timedelta(minutes=2)) == (3, tomorrow.date()), "no day counts twice"
    fourth = puzzles.daily(tomorrow.date() + timedelta(days=1))
    assert fourth and streak(fourth, tomorrow + timedelta(days=2, hours=2))[0] == 3, "hours later it is too late"


def test_the_daily_puzzle_is_of_those_that_were_there_in_the_morning() -> None:
    today = date(2026, 2, 1)
    assert puzzles.daily(today) is None
    [first, *_] = some_puzzles(3, datetime(2026, 2, 1, 8, tzinfo=UTC))
    assert puzzles.daily(today) == first, "on the first day there are any the first one is it"
    tomorrow = today + timedelta(days=1)
    chosen = puzzles.daily(tomorrow)
    some_puzzles(9, datetime(2026, 2, 2, 0, 1, tzinfo=UTC))
    assert puzzles.daily(tomorrow) == chosen
    month = {puzzles.daily(tomorrow + timedelta(days=n)) for n in range(1, 40)}
    assert len(month) > 6, "not the same one each day"


def test_the_next_one_is_nearest_in_points_and_not_answered_yet() -> None:
    player, [low, near, high] = a_player(), some_puzzles(3)
    for puzzle, points in ((low, 1300), (near, 1490), (high, 1700)):
        Puzzle.objects.filter(pk=puzzle.pk).update(points=points)
    assert puzzles.untried(None) == near
    puzzles.hint(player.pk, near.pk)
    assert puzzles.untried(player.pk) == near, "a hint is no answer"
    PuzzleTry.objects.update(solved=True)
    PuzzleStanding.objects.create(player=player, points=1650)
    assert puzzles.untried(player.pk) == high
    assert puzzles.untried(player.pk, "expanding-nim") is None
    for left in (low, high):
        PuzzleTry.objects.create(player=player, puzzle=left, solved=False)
    assert puzzles.untried(player.pk) is None
