"""The sequential test: against closed formulas where there are some, against a search, and in how often it errs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import count

import pytest

from arena.match.sprt import BOUND, Hypotheses, Sprt, expected


def test_a_side_that_is_400_points_stronger_expects_ten_of_eleven() -> None:
    assert expected(400) == pytest.approx(10 / 11)
    assert expected(0) == 0.5


def test_where_no_pair_is_shared_it_is_the_ratio_of_two_coins() -> None:
    """Then a hypothesis says all of it: the probability of 2 points is the expected score, that of 0 the rest."""
    low, high = expected(5), expected(60)
    coins = 8 * math.log(high / low) + 3 * math.log((1 - high) / (1 - low))
    assert Hypotheses(5, 60).llr([3, 0, 0, 0, 8]) == pytest.approx(coins, abs=0.001)


def _best(mean: float, pairs: tuple[int, int, int]) -> float:
    """The log-likelihood of so many pairs with 0, 1 and 2 points under the best frequencies with this mean, found by
    trying them all: of 2 points they have one free number.
    """
    lost, drawn, won = pairs

    def of(win: float) -> float:
        draw = 2 * (mean - win)
        return lost * math.log(1 - win - draw) + drawn * math.log(draw) + won * math.log(win)

    least, most = max(0.0, 2 * mean - 1), mean
    return max(of(least + (most - least) * step / 20_000) for step in range(1, 20_000))


@pytest.mark.parametrize("pairs", [(3, 10, 8), (1, 40, 2), (9, 1, 9)])
def test_each_hypothesis_has_the_frequencies_that_explain_the_results_best(pairs: tuple[int, int, int]) -> None:
    lost, drawn, won = pairs
    found = Hypotheses(-10, 30).llr([lost, 0, drawn, 0, won])
    assert found == pytest.approx(_best(expected(30), pairs) - _best(expected(-10), pairs), abs=0.002)


@pytest.mark.parametrize("pairs", [(0, 0, 0, 0, 0), (4, 2, 9, 5, 1), (0, 0, 30, 0, 0), (0, 0, 0, 0, 7)])
def test_seen_from_the_other_side_it_is_the_opposite(pairs: tuple[int, ...]) -> None:
    assert Hypotheses(-7, 20).llr(pairs) == pytest.approx(-Hypotheses(-20, 7).llr(pairs[::-1]))


def test_a_pair_counts_when_both_of_its_rounds_are_over_and_both_count() -> None:
    test = Sprt(Hypotheses(0, 10))
    for round, points in ((3, 0.5), (2, 1.0), (6, None), (1, 0.5), (5, 1.0), (4, 0.0), (7, 1.0)):
        test.add(round, points)
    assert test.pairs == [0, 1, 0, 1, 0], "of rounds 3 and 4, and of 1 and 2; one of 5 and 6 did not count"
    assert test.llr == Hypotheses(0, 10).llr(test.pairs) and not test.accepted


def test_a_decision_stays() -> None:
    test = Sprt(Hypotheses(0, 200))
    for round in range(1, 100):
        test.add(round, 1.0)
    assert test.accepted == "H1" and BOUND <= test.llr < BOUND + math.log(expected(200) / 0.5)
    decided = test.llr
    for round in range(101, 200):
        test.add(round, 0.0)
    assert (test.accepted, test.llr) == ("H1", decided)


def test_one_pair_decides_nothing() -> None:
    for score in range(5):
        pairs = [int(score == each) for each in range(5)]
        assert abs(Hypotheses(0, 10).llr(pairs)) < BOUND / 10


def _independent(dice: random.Random, mean: float) -> Sequence[float]:
    """Two matches, of which three in ten are drawn."""
    return [dice.choices((1.0, 0.5, 0.0), (mean - 0.15, 0.3, 0.85 - mean))[0] for _ in range(2)]


def _opposed(dice: random.Random, mean: float) -> Sequence[float]:
    """Half of the openings are won by whoever begins, the others by the stronger one, twice."""
    if dice.random() < 0.5:
        return (1.0, 0.0)
    return (1.0, 1.0) if dice.random() < 2 * mean - 0.5 else (0.0, 0.0)


@pytest.mark.long
@pytest.mark.parametrize("pair", [_independent, _opposed])
def test_it_errs_in_five_of_a_hundred(pair: Callable[[random.Random, float], Sequence[float]]) -> None:
    """In 200 tests 10 are expected; 20 and more would come once in 500 times."""
    for points, right in ((0, "H0"), (240, "H1")):
        dice, wrong = random.Random(f"{pair.__name__} {points}"), 0
        for _ in range(200):
            test = Sprt(Hypotheses(0, 240))
            for number in count():
                for round, scored in enumerate(pair(dice, expected(points)), 2 * number + 1):
                    test.add(round, scored)
                if test.accepted:
                    break
            wrong += test.accepted != right
        assert wrong < 20, f"{wrong} of 200 at {points} points"
