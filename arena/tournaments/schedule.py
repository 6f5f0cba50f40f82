"""Who meets whom, and who moves first: round robin by Berger's tables, gauntlet, late entries. Pure.

An encounter is two entries that meet in a round; its legs are the matches they play, the first mover changing each
time, so that legs 1 and 2, 3 and 4 … are pairs with the seats swapped. Entries are numbers in the order of their seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple


class Slot(NamedTuple):
    """One match to be played: `a` moves first, `b` is None for a bye. Rounds, numbers and legs count from 1."""

    round: int
    number: int
    leg: int
    a: int
    b: int | None


class Encounter(NamedTuple):
    """Two entries that meet; `a` moves first in the odd legs."""

    a: int
    b: int | None


class Round(NamedTuple):
    """The result of an entry in a round: its opponent, None for a bye or a round without the entry; at most 1 point.

    `first`: whether it moved first; `played` is False for byes, forfeits and rounds without the entry.
    """

    opponent: int | None
    points: float
    first: bool = False
    played: bool = True


Histories = Mapping[int, Sequence[Round]]


def legs_of(round: int, number: int, met: Encounter, legs: int, after: int = 0) -> list[Slot]:
    """The matches of an encounter, from leg `after` + 1 on. A bye has one."""
    a, b = met
    if b is None:
        return [Slot(round, number, 1, a, None)]
    return [Slot(round, number, leg, *((a, b) if leg % 2 else (b, a))) for leg in range(after + 1, after + legs + 1)]


def round_robin(entries: Sequence[int], legs: int = 1) -> list[Slot]:
    """Everyone meets everyone once, in `legs` matches. With an odd number one entry rests in each round."""
    return _slots(_berger(entries), legs)


def gauntlet(entries: Sequence[int], legs: int = 1) -> list[Slot]:
    """The first entry meets every other one."""
    first, *others = entries
    met = ([Encounter(first, other) if n % 2 == 0 else Encounter(other, first)] for n, other in enumerate(others))
    return _slots(met, legs)


def late(entry: int, others: Sequence[int], legs: int, after: int) -> list[Slot]:
    """The encounters that a late entry still has to play: one a round, in rounds after round `after`."""
    return [slot._replace(round=slot.round + after) for slot in gauntlet([entry, *others], legs)]


def _slots(rounds: Iterator[list[Encounter]], legs: int) -> list[Slot]:
    return [
        slot
        for round, encounters in enumerate(rounds, 1)
        for number, met in enumerate(encounters, 1)
        for slot in legs_of(round, number, met, legs)
    ]


def _berger(entries: Sequence[int]) -> Iterator[list[Encounter]]:
    """Berger's tables: the last entry stays and changes seats, the others move on by half a turn each round."""
    ring: list[int | None] = [*entries, *([None] if len(entries) % 2 else [])]
    *turning, still = ring
    turns = len(turning)
    for round in range(turns):
        start = round * ((turns + 1) // 2) % turns
        row = turning[start:] + turning[:start]
        pairs = [(row[0], still) if round % 2 == 0 else (still, row[0])]
        pairs += [(row[n], row[turns - n]) for n in range(1, (turns + 1) // 2)]
        yield [Encounter(a, b) for a, b in pairs if a is not None and b is not None]
