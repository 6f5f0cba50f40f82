"""Which of two sides is stronger, decided as soon as the results allow: a sequential probability ratio test (SPRT).

Two hypotheses name a difference in Elo points: H0 the lower one, H1 the higher. The log-likelihood ratio (LLR) says how
much better H1 explains the results. The test ends when it leaves the bounds of Abraham Wald ("Sequential Tests of
Statistical Hypotheses", 1945): then either hypothesis is rejected by mistake in 5 % of all tests.

Matches count in pairs with swapped seats, because two matches with the same opening depend on each other. A pair gives
0, ½, 1, 1½ or 2 points, and nobody knows how often each of them comes. So each hypothesis is credited with those
frequencies that explain the results best among all whose mean it predicts (Art Owen, "Empirical Likelihood Ratio
Confidence Intervals", 1988).
"""

from __future__ import annotations

import math

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# Wald's bounds for errors of 5 % on both sides: 19 times as likely, whose logarithm is 2.94, and its negative.
TIMES = 0.95 / 0.05
BOUND = math.log(TIMES)
# What a pair may score, as shares of its two points.
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Both extremes count as seen this often, because without them a mean beyond all results could not be explained at all.
SEEN = 1e-3
# Each step halves the interval of the multiplier: after these it is as small as a floating-point number tells.
STEPS = 52


class Hypotheses(NamedTuple):
    """By how many Elo points side 0 is stronger, according to H0 and to H1."""

    low: float
    high: float

    def llr(self, pairs: Sequence[int]) -> float:
        """How much better H1 explains the results, as the logarithm of a ratio of probabilities.

        `pairs` says how many pairs have given side 0 each of the SCORES.
        """
        counts = (pairs[0] + SEEN, *pairs[1:-1], pairs[-1] + SEEN)
        seen = [(count, score) for count, score in zip(counts, SCORES, strict=True) if count]
        return _unlikeliness(seen, expected(self.low)) - _unlikeliness(seen, expected(self.high))


class Sprt:
    """A test of the matches between two sides, whose rounds may end in any order.

    `pairs` says how many pairs have given side 0 each of the SCORES. After a decision, it takes no more.
    """

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.pairs = [0] * len(SCORES)
        self.llr = 0.0
        self._halves: dict[int, float | None] = {}  # of pairs with one round, whose points are those of side 0

    @property
    def accepted(self) -> str:
        """`H0`, `H1`, or "" while there is no decision."""
        return "" if abs(self.llr) < BOUND else "H1" if self.llr > 0 else "H0"

    def add(self, round: int, points: float | None) -> None:
        """The points of side 0 in this round, None if it does not count; then the other of its pair does not either."""
        number = (round - 1) // 2
        if self.accepted:
            return
        if number not in self._halves:
            self._halves[number] = points
            return
        other = self._halves.pop(number)
        if points is not None and other is not None:
            self.pairs[SCORES.index((points + other) / 2)] += 1
            self.llr = self.hypotheses.llr(self.pairs)


def expected(points: float) -> float:
    """The score between 0 and 1 that a side expects which is stronger by so many Elo points."""
    return 1 / (1 + 10 ** (-points / 400))


def _unlikeliness(seen: Sequence[tuple[float, float]], mean: float) -> float:
    """How much worse than themselves the frequencies with this mean explain what was `seen`, counts with their scores:
    the logarithm of Owen's ratio, 0 if nothing else is as likely.

    The frequencies that explain it best are proportional to count / (1 + t · (score − mean)), with the multiplier t for
    which they have this mean. It lies between two poles, because both extremes were seen.
    """
    away = [(count, score - mean) for count, score in seen]
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(STEPS):
        t = (low + high) / 2
        if sum([count * off / (1 + t * off) for count, off in away]) > 0:
            low = t
        else:
            high = t
    return sum(count * math.log1p(low * off) for count, off in away)
