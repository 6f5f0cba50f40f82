"""Glicko-2: a player's strength, its uncertainty and its volatility.

Mark E. Glickman, "Example of the Glicko-2 system", http://www.glicko.net/glicko/glicko2.pdf; the tests include its
example. One thing differs: the paper rates all matches of a period at once, while `periods` here is the number of
periods since the last rating, and may be a fraction. With 1 it is the published method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

# Rating points per unit of the scale used in the formulas.
SCALE = 173.7178
# Limits how fast volatility changes: the value of the paper's example.
TAU = 0.5
# No deviation falls below this, so that ratings follow improvement however many matches a player has.
LEAST_DEVIATION, MOST_DEVIATION = 30.0, 350.0
CLOSE_ENOUGH = 1e-6
# Each step at least halves the search interval; about ten are needed, and never this many.
MOST_STEPS = 100


class Strength(NamedTuple):
    """Points, their standard deviation in points, and the volatility; the defaults are the paper's initial values."""

    points: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


def aged(strength: Strength, periods: float) -> Strength:
    """The strength after `periods` without a match: the same points with a larger deviation."""
    grown = math.hypot(strength.deviation, SCALE * strength.volatility * math.sqrt(periods))
    return strength._replace(deviation=_within_bounds(grown))


def rate(player: Strength, results: Sequence[tuple[Strength, float]], periods: float = 1.0) -> Strength:
    """The player's strength after `results`: each opponent's earlier strength and the player's score, 1, 0.5 or 0."""
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
    """The weight of a result against an opponent with deviation `phi`: 1 if known perfectly."""
    return 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)


def _expected(weight: float, difference: float) -> float:
    return 1 / (1 + math.exp(min(700.0, -weight * difference / SCALE)))


def _within_bounds(deviation: float) -> float:
    return min(max(deviation, LEAST_DEVIATION), MOST_DEVIATION)


def _volatility(phi: float, sigma: float, variance: float, delta: float) -> float:
    """Step 5 of the paper: find the new volatility as the root of f with the Illinois algorithm."""
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
    """A point where f has the opposite sign: above for surprising results, which raise volatility, else below."""
    if surprise > 0:
        return math.log(surprise)
    steps = 1
    while f(start - steps * TAU) < 0:
        steps += 1
    return start - steps * TAU
