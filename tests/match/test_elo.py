from __future__ import annotations

import pytest

from arena.match.elo import Elo, elo, los, los_words, places


def test_an_even_score_is_no_difference() -> None:
    assert elo(3, 2, 3).difference == 0


def test_the_difference_is_that_of_the_logistic_curve() -> None:
    """A score of 10/11 is ten to one: 400 points by the definition of the scale; a win and a loss are added.

    9 of 9 and these two make 10 of 11.
    """
    assert elo(9, 0, 0).difference == pytest.approx(400)


def test_winning_everything_is_a_number_and_the_other_side_has_its_opposite() -> None:
    mine, its = elo(8, 0, 0), elo(0, 0, 8)
    assert 300 < mine.difference < 600
    assert its.difference == pytest.approx(-mine.difference)
    assert [its.low, its.high] == pytest.approx([-mine.high, -mine.low])


def test_more_matches_are_a_smaller_interval() -> None:
    """Four times as many matches halve the error of a mean."""
    few, many = elo(60, 0, 40), elo(240, 0, 160)
    assert many.high - many.low == pytest.approx((few.high - few.low) / 2, rel=0.05)


def test_an_interval_covers_95_of_100() -> None:
    """55 won and 45 lost: a standard error of 0.05, so 0.098 around 0.55, which is -33 to +102 points around +34."""
    assert elo(55, 0, 45) == pytest.approx(Elo(34, -33, 102), abs=1)


def test_two_draws_are_no_certainty_and_two_hundred_nearly_are() -> None:
    assert elo(0, 2, 0) == pytest.approx(Elo(0, -189, 189), abs=1)
    assert elo(0, 200, 0).high < 10


@pytest.mark.parametrize("drawn", [0, 1, 7, 50])
@pytest.mark.parametrize("lost", [0, 1, 5])
def test_superiority_is_likely_exactly_where_the_whole_interval_is_above_zero(drawn: int, lost: int) -> None:
    for won in range(30):
        assert (los(won, lost) > 0.975) == (elo(won, drawn, lost).low > 0), (won, drawn, lost)


def test_it_is_written_with_its_interval() -> None:
    assert str(elo(5, 0, 0)) == "+311 (-9 to +632)"
    assert str(elo(0, 0, 0)) == "0 (-393 to +393)"
    assert str(elo(45, 0, 55)) == "-34 (-102 to +33)"


def test_the_likelihood_of_superiority_is_that_of_the_normal_curve() -> None:
    """21 won and 11 lost are 10 over a spread of the root of 32: 1.768 standard deviations, 96.1 % below it."""
    assert los(20, 10) == pytest.approx(0.9615, abs=0.001)
    assert los(10, 20) == pytest.approx(1 - los(20, 10))


def test_nothing_is_certain() -> None:
    assert los(0, 0) == 0.5
    assert (los_words(0, 0), los_words(5, 0)) == ("50.0%", "97.1%")
    assert (los_words(500, 0), los_words(0, 500)) == (">99.9%", "<0.1%")


def test_who_overlap_are_tied() -> None:
    strengths = {1: Elo(300, 200, 400), 2: Elo(100, 0, 250), 3: Elo(-300, -400, -200)}
    assert places(strengths) == {1: (1, 2), 2: (1, 2), 3: (3, 3)}
