"""The Elo difference of two sides from their results, with an interval that is valid even for few results.

The difference follows Arpad Elo's logistic formula: a score of p is 400·log10(p / (1 − p)) points. One win and one loss
are added to the results, so that 8 wins of 8 give a finite number and two draws an interval.

The 95 % interval is Wilson's: all scores s for which the observed score lies within 1.96 standard deviations, where the
variance of one result is s(1 − s) less a quarter of the share of draws. The likelihood of superiority comes from the
same normal distribution at an even score, so the two agree: it exceeds 97.5 % exactly if the whole interval is
positive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from games.named import NamedTuple

DEVIATIONS = 1.96


class Elo(NamedTuple):
    """By how many points the side is stronger, with the bounds of the 95 % interval."""

    difference: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{_signed(self.difference)} ({_signed(self.low)} to {_signed(self.high)})"


def elo(won: int, drawn: int, lost: int) -> Elo:
    """The Elo difference of the side that won `won`, drew `drawn` and lost `lost` matches."""
    won, lost = won + 1, lost + 1
    played = won + drawn + lost
    score = (won + drawn / 2) / played
    share = DEVIATIONS**2 / played
    half = (score + share / 2) / (1 + share)
    root = math.sqrt(half**2 - (score**2 + share * drawn / played / 4) / (1 + share))
    return Elo(difference(score), difference(half - root), difference(half + root))


def los(won: int, lost: int) -> float:
    """The likelihood of superiority: the probability that the side that won `won` and lost `lost` is stronger; draws do
    not matter.
    """
    decided = won + lost + 2
    return 0.5 * (1 + math.erf((won - lost) / math.sqrt(2 * decided)))


def los_words(won: int, lost: int) -> str:
    """For example `97.4%`; near-certainties are `>99.9%`."""
    likely = 100 * los(won, lost)
    if likely > 99.9:
        return ">99.9%"
    return "<0.1%" if likely < 0.1 else f"{likely:.1f}%"


def places(strengths: Mapping[int, Elo]) -> dict[int, tuple[int, int]]:
    """The best and the worst place by strength that the intervals allow; overlapping sides are tied."""
    return {
        entry: (
            1 + sum(other.low > mine.high for other in strengths.values()),
            len(strengths) - sum(other.high < mine.low for other in strengths.values()),
        )
        for entry, mine in strengths.items()
    }


def difference(score: float) -> float:
    """The points between two sides of which one scores this much against the other, 0 to 1."""
    return 400 * math.log10(score / (1 - score))


def _signed(points: float) -> str:
    """`+35`, `-35`, or `0` without a sign."""
    whole = round(points)
    return f"{whole:+d}" if whole else "0"
