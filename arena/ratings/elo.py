"""Elo of one side over another from their results, with an error margin.

The difference is the logistic one of Arpad Elo's rating system: a score of p is 400·log10(p / (1 − p)) points. The
margin is that of a 95 % interval of the mean score, from the spread of the results themselves. One drawn match is added
to what was played, so that 8 wins of 8 give a number and not infinity.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Elo(NamedTuple):
    """Points by which the side is stronger, and the half-width of the 95 % interval."""

    difference: float
    margin: float

    def __str__(self) -> str:
        return f"{self.difference:+.0f} ± {self.margin:.0f}"


def elo(won: int, drawn: int, lost: int) -> Elo:
    """The Elo difference of the side that won `won`, drew `drawn` and lost `lost` matches."""
    drawn += 1
    played = won + drawn + lost
    score = (won + drawn / 2) / played
    spread = (won * (1 - score) ** 2 + drawn * (0.5 - score) ** 2 + lost * score**2) / played
    error = 1.96 * math.sqrt(spread / played)
    low, high = max(score - error, 1e-3), min(score + error, 1 - 1e-3)
    return Elo(_difference(score), (_difference(high) - _difference(low)) / 2)


def los(won: int, lost: int) -> float:
    """The likelihood of superiority: how likely the side that won `won` and lost `lost` is the stronger one, 0 to 1.

    Draws say nothing about it. With nothing decided it is one half.
    """
    decided = won + lost
    return 0.5 * (1 + math.erf((won - lost) / math.sqrt(2 * decided))) if decided else 0.5


def _difference(score: float) -> float:
    return 400 * math.log10(score / (1 - score))
