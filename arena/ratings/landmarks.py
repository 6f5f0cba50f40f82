"""Where the built-in players would stand in a ladder: landmarks, no competitors, because their strength depends on the
processor.

*Club* stands where everybody begins, the others by how often each beats the next lower one (docs/performance.md).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from arena.match.elo import difference
from arena.match.ladder import NEW
from games.players import LEVELS

# Where everybody begins.
FIXED = "club"
# Points of each level against the next lower one, in percent: from the second lowest level on. Where every match was
# won, the lower end of the interval.
SHARES: dict[str, tuple[int, ...]] = {
    "connect-four-7x6": (89, 91, 92, 90, 97),
    "connect-four-8x8": (92, 94, 88, 86, 92),
    "santorini-5x5": (87, 89, 96, 80, 91),
    "santorini-6x6": (88, 84, 96, 86, 96),
    "expanding-nim": (80, 77, 99, 84, 81),
}


class Landmark(NamedTuple):
    level: str
    points: int


def landmarks(variant: str) -> list[Landmark]:
    """The levels, the best first; none in a game in which they were not measured."""
    shares = SHARES.get(variant)
    if shares is None:
        return []
    heights = dict.fromkeys(LEVELS, 0.0)
    for (lower, level), share in zip(pairwise(LEVELS), shares, strict=True):
        heights[level] = heights[lower] + difference(share / 100)
    return [Landmark(level, round(NEW.points + heights[level] - heights[FIXED])) for level in reversed(LEVELS)]
