"""A knockout: the bracket by seeds, byes for the best, when an encounter is decided, how far everybody came. Pure.

A drawn encounter continues with pairs of matches with the seats swapped, at most three pairs; then the higher seed goes
through. If both forfeit the last match of a drawn encounter, nobody does: the next opponent has a bye.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.match.said import said
from arena.tournaments.schedule import Encounter

MOST_FURTHER_PAIRS = 3
FINAL, THIRD_PLACE = 1, 2  # the numbers of the encounters of the last round
# Halves and quarters within a round: out, out but third, still in.
THIRD, STILL_IN = 0.25, 0.5
THIRD_PLACE_TITLE = said("Third place")


class Verdict(NamedTuple):
    """Who goes through; before, `further` more legs to play; with neither, both are out. `why` is for people."""

    winner: int | None
    further: int = 0
    why: str = ""


# The verdicts of the encounters by (round, number); None while matches are being played.
Encounters = Mapping[tuple[int, int], tuple[Encounter, Verdict | None]]


def first_round(entries: Sequence[int]) -> list[Encounter]:
    """The encounters in the order of the bracket, `entries` best first: 1 and 2 can only meet in the final."""
    order = [1]
    while len(order) < len(entries):
        size = 2 * len(order) + 1
        order = [seed for high in order for seed in (high, size - high)]
    found = [entries[seed - 1] if seed <= len(entries) else None for seed in order]
    met = [_met(a, b) for a, b in zip(found[::2], found[1::2], strict=True)]
    return [each for each in met if each is not None]


def rounds(entries: int) -> int:
    """How many rounds a bracket of this many entries has."""
    return (entries - 1).bit_length()


def decide(
    met: Encounter,
    points: Mapping[int, float],
    played: int,
    legs: int,
    seeds: Mapping[int, int],
    *,
    forfeited: bool = False,
) -> Verdict:
    """Who goes through after `played` of the planned legs with these `points`.

    `seeds` are the entries' seeds, 1 the highest; `forfeited`: both have forfeited the last leg.
    """
    a, b = met
    if b is None:
        return Verdict(a, why="bye")
    if played < legs:
        return Verdict(None, legs - played)
    if points[a] != points[b]:
        return Verdict(a if points[a] > points[b] else b, why=f"{points[a]:g} to {points[b]:g}")
    if forfeited:
        return Verdict(None, why="both have forfeited")
    pairs = (played - legs) // 2
    if pairs < MOST_FURTHER_PAIRS:
        return Verdict(None, 2)
    higher = min(a, b, key=lambda entry: seeds[entry])
    return Verdict(
        higher, why=f"{points[a]:g} to {points[b]:g} after {pairs} further pairs: the higher seed is through"
    )


class Bracket:
    """The state of a knockout. `third_place`: the losers of the semi-finals play for third place."""

    def __init__(self, encounters: Encounters, *, third_place: bool = False) -> None:
        self.encounters = encounters
        self.third_place = third_place
        self.size = sum(round == 1 for round, _ in encounters)

    @property
    def rounds(self) -> int:
        return self.size.bit_length()

    @property
    def final(self) -> Encounter | None:
        met, _ = self.encounters.get((self.rounds, FINAL), (None, None))
        return met

    @property
    def champion(self) -> int | None:
        """Who has won the final."""
        return self._winner(self.rounds, FINAL)

    @property
    def is_nobodys(self) -> bool:
        """Whether nobody won: both finalists are out, or nobody is left to play the final."""
        _, verdict = self.encounters.get((self.rounds, FINAL), (None, None))
        if self.final is not None:
            return verdict is not None and verdict.winner is None and not verdict.further
        last = max((round for round, _ in self.encounters), default=0)
        return self._is_over(last) and not self.next_round(last)

    def next_round(self, round: int) -> list[tuple[int, Encounter]]:
        """The encounters that follow a round that is over, by number; empty after the last one."""
        found = []
        for number in range(1, (self.size >> round) + 1):
            met = _met(self._winner(round, 2 * number - 1), self._winner(round, 2 * number))
            if met is not None:
                found.append((number, met))
        if self.third_place and round == self.rounds - 1:
            losers = [loser for number in (1, 2) if (loser := self._loser(round, number)) is not None]
            if len(losers) == 2:
                found.append((THIRD_PLACE, Encounter(*losers)))
        return found

    def levels(self) -> dict[int, float]:
        """How far everybody came: the last round that they were paired in, or more for those still in and the winner of
        third place. A verdict that is overruled after the next round was paired brings nobody further.
        """
        last = max((round for round, _ in self.encounters), default=0)
        found: dict[int, float] = {}
        for (round, number), (met, verdict) in sorted(self.encounters.items()):
            for entry in met:
                if entry is not None:
                    found[entry] = round if round < last else self._level(round, number, entry, verdict)
        return found

    def title(self, level: float) -> str:
        """`Winner`, `Final`, `Third place`, `Semi-final`, `Round 2`: of a level."""
        if level > self.rounds + 1:
            return said("Winner")
        if level % 1 == THIRD:
            return THIRD_PLACE_TITLE
        return self.round_title(int(level))

    def round_title(self, round: int) -> str:
        names = {
            self.rounds: said("Final"),
            self.rounds - 1: said("Semi-final"),
            self.rounds - 2: said("Quarter-final"),
        }
        return names.get(round, said("Round {n}", n=round))

    def _level(self, round: int, number: int, entry: int, verdict: Verdict | None) -> float:
        through = verdict is not None and verdict.winner == entry
        if (round, number) == (self.rounds, THIRD_PLACE):
            return round - 1 + (THIRD if through else 0)
        if through:
            return round + 1 + STILL_IN
        return round if verdict is not None and not verdict.further else round + STILL_IN

    def _is_over(self, round: int) -> bool:
        verdicts = [verdict for (each, _), (_, verdict) in self.encounters.items() if each == round]
        return bool(verdicts) and all(verdict is not None and not verdict.further for verdict in verdicts)

    def _winner(self, round: int, number: int) -> int | None:
        _, verdict = self.encounters.get((round, number), (None, None))
        return None if verdict is None else verdict.winner

    def _loser(self, round: int, number: int) -> int | None:
        met, verdict = self.encounters.get((round, number), (None, None))
        if met is None or verdict is None or verdict.winner is None:
            return None
        return met.b if verdict.winner == met.a else met.a


def _met(a: int | None, b: int | None) -> Encounter | None:
    """Who meets whom; an entry without an opponent has a bye."""
    present = [entry for entry in (a, b) if entry is not None]
    if not present:
        return None
    return Encounter(present[0], present[1] if len(present) > 1 else None)
