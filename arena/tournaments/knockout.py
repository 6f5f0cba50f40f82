"""A knockout: the bracket by seeds, byes for the best, and when an encounter is decided. Pure.

A drawn encounter goes on by pairs of matches with the seats swapped, at most three pairs; then the higher seed is
through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.tournaments.schedule import Encounter

MOST_FURTHER_PAIRS = 3


class Verdict(NamedTuple):
    """Who is through, None while matches are missing; `further` more legs are to be played; `why` is for people."""

    winner: int | None
    further: int = 0
    why: str = ""


def first_round(entries: Sequence[int]) -> list[Encounter]:
    """The encounters in the order of the bracket, `entries` best first: 1 and 2 can only meet in the final."""
    order = [1]
    while len(order) < len(entries):
        size = 2 * len(order) + 1
        order = [seed for high in order for seed in (high, size - high)]
    found = [entries[seed - 1] if seed <= len(entries) else None for seed in order]
    met = []
    for a, b in zip(found[::2], found[1::2], strict=True):
        present = [entry for entry in (a, b) if entry is not None]
        met.append(Encounter(present[0], present[1] if len(present) > 1 else None))
    return met


def next_round(winners: Sequence[int]) -> list[Encounter]:
    """The winners of neighbours in the bracket meet. Empty when one is left."""
    return [Encounter(a, b) for a, b in zip(winners[::2], winners[1::2], strict=True)] if len(winners) > 1 else []


def rounds(entries: int) -> int:
    """How many rounds a bracket of so many entries has."""
    return (entries - 1).bit_length()


def decide(met: Encounter, points: Mapping[int, float], played: int, legs: int, seeds: Mapping[int, int]) -> Verdict:
    """Who is through after `played` of the legs that were planned, `points` being what both have of them.

    `seeds` are the entries' seeds, 1 the highest.
    """
    a, b = met
    if b is None:
        return Verdict(a, why="bye")
    if played < legs:
        return Verdict(None, legs - played)
    if points[a] != points[b]:
        return Verdict(a if points[a] > points[b] else b, why=f"{points[a]:g} to {points[b]:g}")
    pairs = (played - legs) // 2
    if pairs < MOST_FURTHER_PAIRS:
        return Verdict(None, 2)
    higher = min(a, b, key=lambda entry: seeds[entry])
    return Verdict(
        higher, why=f"{points[a]:g} to {points[b]:g} after {pairs} further pairs: the higher seed is through"
    )
