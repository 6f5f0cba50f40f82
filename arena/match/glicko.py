"""Glicko-2: how strong a player is, how sure that is, and how steady.

Mark E. Glickman, "Example of the Glicko-2 system", http://www.glicko.net/glicko/glicko2.pdf; the numbers of its
example are a test. One thing is asked differently: the paper rates the matches of a whole period at once, here
`periods` says how much of one has passed since the last rating, and may be a fraction. With 1 it is the published way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

# Points of one unit of the scale that the formulas work on.
SCALE = 173.7178
# How fast volatility may change: the value of the paper's example.
TAU = 0.5
# Nobody is known better than this: who improves is followed, however many matches they have behind them.
LEAST_DEVIATION, MOST_DEVIATION = 30.0, 350.0
CLOSE_ENOUGH = 1e-6
# The search halves its interval or better; it is over after ten steps and never takes as many as this.
MOST_STEPS = 100


class Strength(NamedTuple):
    """Points, their standard deviation in points, and the volatility, beginning where the paper lets them begin."""

    points: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


def aged(strength: Strength, periods: float) -> Strength:
    """The strength after some periods without a match: the same points, less surely."""
    grown = math.hypot(strength.deviation, SCALE * strength.volatility * math.sqrt(periods))
    return strength._replace(deviation=_within_bounds(grown))


def rate(player: Strength, results: Sequence[tuple[Strength, float]], periods: float = 1.0) -> Strength:
    """The player's strength after `results`: opponents as they were before, and 1, 0.5 or 0 for the player."""
    phi = player.deviation / SCALE
    information = gain = 0.0
    for opponent, score in results:
        g = _weight(opponent.deviation / SCALE)
        expected = _expected(g, player.points - opponent.points)
        information += g * g * max(expected * (1 - expected), 1e-12)
        gain += g * (score - expected)
    variance = 1 / information
    volatility = _volatility(phi, player.volatility, variance, variance * gain)
    before = math.hypot(phi, volatility * math.sqrt(periods))
    after = 1 / math.sqrt(1 / before**2 + information)
    points = player.points + SCALE * after**2 * gain
    return Strength(points, _within_bounds(SCALE * after), volatility)


def _weight(phi: float) -> float:
    """How much a result against somebody so little known is worth: 1 when they are known perfectly."""
    return 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)


def _expected(weight: float, difference: float) -> float:
    return 1 / (1 + math.exp(min(700.0, -weight * difference / SCALE)))


def _within_bounds(deviation: float) -> float:
    return min(max(deviation, LEAST_DEVIATION), MOST_DEVIATION)


def _volatility(phi: float, sigma: float, variance: float, delta: float) -> float:
    """Step 5 of the paper: by the Illinois algorithm the root of f, the logarithm of the volatility squared."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        there = math.exp(x)
        spread = phi**2 + variance + there
        return there * (delta**2 - spread) / (2 * spread**2) - (x - start) / TAU**2

    low, high = start, _other_end(f, start, delta**2 - phi**2 - variance)
    at_low, at_high = f(low), f(high)
    for _ in range(MOST_STEPS):
        if abs(high - low) <= CLOSE_ENOUGH:
            break
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return math.exp(low / 2)


def _other_end(f: Callable[[float], float], start: float, surprise: float) -> float:
    """Where f has the other sign: a surprising result raises volatility, any other lets it sink."""
    if surprise > 0:
        return math.log(surprise)
    steps = 1
    while f(start - steps * TAU) < 0:
        steps += 1
    return start - steps * TAU
