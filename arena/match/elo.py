"""Elo of one side over another from their results, with an interval that is true however few they are.

The difference is the logistic one of Arpad Elo's rating system: a score of p is 400·log10(p / (1 − p)) points. One win
and one loss are added to what was played, so that 8 wins of 8 give a number and not infinity, and two draws an interval
and not a certainty.

The interval is Wilson's, of 95 %: all scores s for which the score that was seen lies within 1.96 deviations, a result
of which has the variance s(1 − s) less a quarter of the share of draws. The likelihood of superiority is that of the
same normal curve at an even score, so both always agree: above 97.5 % exactly where the whole interval is above zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from games.named import NamedTuple

DEVIATIONS = 1.96


class Elo(NamedTuple):
    """Points by which the side is stronger, and the lowest and highest that 95 of 100 such results allow."""

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
    return Elo(_difference(score), _difference(half - root), _difference(half + root))


def los(won: int, lost: int) -> float:
    """The likelihood of superiority: how likely the side that won `won` and lost `lost` is the stronger one, 0 to 1.

    Draws say nothing about it. With nothing decided it is one half.
    """
    decided = won + lost + 2
    return 0.5 * (1 + math.erf((won - lost) / math.sqrt(2 * decided)))


def los_words(won: int, lost: int) -> str:
    """`97.4%`, and never a certainty: `>99.9%`."""
    likely = 100 * los(won, lost)
    if likely > 99.9:
        return ">99.9%"
    return "<0.1%" if likely < 0.1 else f"{likely:.1f}%"


def places(strengths: Mapping[int, Elo]) -> dict[int, tuple[int, int]]:
    """The best and the worst place by strength that the intervals allow: who overlap are tied."""
    return {
        entry: (
            1 + sum(other.low > mine.high for other in strengths.values()),
            len(strengths) - sum(other.high < mine.low for other in strengths.values()),
        )
        for entry, mine in strengths.items()
    }


def _difference(score: float) -> float:
    return 400 * math.log10(score / (1 - score))


def _signed(points: float) -> str:
    """`+35`, `-35`, and `0` without a sign."""
    whole = round(points)
    return f"{whole:+d}" if whole else "0"
