from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.glicko import LEAST_DEVIATION, MOST_DEVIATION, SCALE, Strength, aged, rate

strengths = st.builds(
    Strength, st.floats(-2000, 6000), st.floats(LEAST_DEVIATION, MOST_DEVIATION), st.floats(0.001, 0.5)
)
scores = st.sampled_from([0.0, 0.5, 1.0])


def test_the_published_example() -> None:
    """Glickman's paper, last page: 1500 ± 200 beats 1400, loses to 1550 and to 1700."""
    results = [(Strength(1400, 30), 1.0), (Strength(1550, 100), 0.0), (Strength(1700, 300), 0.0)]
    after = rate(Strength(1500, 200, 0.06), results)
    assert after.points == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_a_period_without_a_match_is_that_of_the_paper() -> None:
    """Step 6 for who did not compete: the deviation becomes the root of φ² + σ²."""
    assert aged(Strength(1500, 200, 0.06), 1).deviation == pytest.approx(math.hypot(200, SCALE * 0.06))


def test_deviation_grows_with_time_and_not_beyond_where_it_began() -> None:
    known = Strength(1500, 60, 0.06)
    assert known.deviation < aged(known, 10).deviation < aged(known, 80).deviation < MOST_DEVIATION
    assert aged(known, 1e6).deviation == MOST_DEVIATION


def test_time_in_pieces_is_time_at_once() -> None:
    known = Strength(1500, 60, 0.06)
    assert aged(aged(known, 3), 4).deviation == pytest.approx(aged(known, 7).deviation)


def test_a_surprise_moves_more_than_what_was_expected() -> None:
    mine = Strength(1500, 60, 0.06)
    expected = rate(mine, [(Strength(1900, 60), 0.0)])
    surprise = rate(mine, [(Strength(1900, 60), 1.0)])
    assert mine.points - expected.points < 5 < 15 < surprise.points - mine.points
    assert surprise.volatility > expected.volatility


def test_nobody_is_ever_known_for_certain() -> None:
    mine = Strength()
    for number in range(2000):
        mine = rate(mine, [(Strength(1500, 30), float(number % 2))], periods=0)
    assert mine.deviation == LEAST_DEVIATION


@given(strengths, strengths, scores, st.floats(0, 1000))
def test_every_match_gives_numbers(mine: Strength, its: Strength, score: float, periods: float) -> None:
    after = rate(mine, [(its, score)], periods)
    assert all(math.isfinite(number) for number in after)
    assert LEAST_DEVIATION <= after.deviation <= MOST_DEVIATION
    assert 0 < after.volatility < 1


@given(strengths, strengths, st.floats(0, 100))
def test_winning_never_costs_and_losing_never_gains(mine: Strength, its: Strength, periods: float) -> None:
    assert rate(mine, [(its, 1.0)], periods).points >= mine.points >= rate(mine, [(its, 0.0)], periods).points
