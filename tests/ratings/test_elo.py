from __future__ import annotations

import pytest

from arena.ratings.elo import elo, los


def test_an_even_score_is_no_difference() -> None:
    assert elo(3, 2, 3).difference == 0


def test_the_difference_is_that_of_the_logistic_curve() -> None:
    """A score of 10/11 is ten to one: 400 points by the definition of the scale; one draw is added to what was played.

    9.5 of 10 and a draw make 10 of 11.
    """
    assert elo(9, 1, 0).difference == pytest.approx(400)


def test_winning_everything_is_a_number_and_the_other_side_has_its_opposite() -> None:
    mine, its = elo(8, 0, 0), elo(0, 0, 8)
    assert 300 < mine.difference < 600
    assert its.difference == pytest.approx(-mine.difference)
    assert its.margin == pytest.approx(mine.margin)


def test_more_matches_are_a_smaller_margin() -> None:
    """Four times as many matches halve the error of a mean."""
    few, many = elo(60, 0, 40), elo(240, 0, 160)
    assert many.margin == pytest.approx(few.margin / 2, rel=0.05)


def test_a_margin_covers_95_of_100() -> None:
    """55 won and 45 lost: a standard error of 0.05, so ±0.098 around 0.55, which is -37 to +106 points around +35."""
    assert elo(55, 0, 45).margin == pytest.approx(69, abs=2)


def test_nothing_played_is_nothing_known() -> None:
    assert str(elo(0, 0, 0)) == "+0 ± 0"


def test_it_is_written_as_in_a_table() -> None:
    assert str(elo(55, 0, 45)).startswith("+35 ± ")
    assert str(elo(45, 0, 55)).startswith("-35 ± ")


def test_the_likelihood_of_superiority_is_that_of_the_normal_curve() -> None:
    """20 won and 10 lost are 10 over a spread of the root of 30: 1.826 standard deviations, 96.6 % below it."""
    assert los(20, 10) == pytest.approx(0.966, abs=0.001)
    assert los(10, 20) == pytest.approx(1 - los(20, 10))


def test_likelihood_is_a_number_where_everything_or_nothing_was_won() -> None:
    assert los(0, 0) == 0.5
    assert 0.99 < los(8, 0) < 1
    assert 0 < los(0, 8) < 0.01
