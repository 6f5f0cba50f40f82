from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from arena.match.ladder import LAST, NEW, PROVISIONAL, LadderStanding, after_match, deviation_at

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
YEAR = timedelta(days=365)


def test_what_one_wins_the_other_loses_where_both_are_new() -> None:
    first, second = after_match(NEW, NEW, 1.0, NOON)
    assert first.points - 1500 == pytest.approx(1500 - second.points)
    assert (first.matches, first.won, first.drawn, first.last, first.at) == (1, 1, 0, "W", NOON)
    assert (second.matches, second.won, second.drawn, second.last) == (1, 0, 0, "L")


def test_a_draw_between_equals_changes_no_points_and_makes_both_surer() -> None:
    first, second = after_match(NEW, NEW, 0.5, NOON)
    assert first.points == second.points == 1500
    assert first.deviation < NEW.deviation
    assert (first.drawn, first.last) == (1, "D")


def test_both_are_rated_against_what_the_other_was_before() -> None:
    strong = LadderStanding(1800, 60, matches=50, at=NOON)
    first, second = after_match(NEW, strong, 0.0, NOON)
    assert first == after_match(NEW, strong, 0.0, NOON)[0]
    assert second == after_match(strong, NEW, 1.0, NOON)[0]


def test_the_last_ten_are_kept_newest_last() -> None:
    mine = NEW
    for number in range(LAST + 3):
        mine, _ = after_match(mine, NEW, float(number % 2), NOON)
    assert mine.last == "WLWLWLWLWL"
    assert (mine.matches, mine.won) == (13, 6)


def test_who_stays_away_is_known_less_and_moves_more() -> None:
    known = LadderStanding(1500, 60, matches=50, at=NOON)
    soon, _ = after_match(known, known, 1.0, NOON)
    later, _ = after_match(known, known, 1.0, NOON + YEAR)
    assert later.points > soon.points
    assert deviation_at(known, NOON) == 60
    assert 100 < deviation_at(known, NOON + YEAR) < PROVISIONAL < deviation_at(known, NOON + 1.2 * YEAR)


def test_a_wall_clock_that_was_set_back_makes_nobody_surer() -> None:
    known = LadderStanding(1500, 60, matches=50, at=NOON)
    assert deviation_at(known, NOON - YEAR) == 60
    assert after_match(known, NEW, 1.0, NOON - YEAR)[0].deviation < 60
