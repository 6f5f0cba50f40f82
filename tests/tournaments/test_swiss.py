"""The Swiss system: no rematch, one bye each, and the pairings that FIDE's rules ask for."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.schedule import Encounter, Round
from arena.tournaments.swiss import NoPairing, pair
from tests.tournaments.published import HELD_2014


def test_the_first_round_pairs_the_upper_half_with_the_lower() -> None:
    """FIDE handbook C.04.3: in the first bracket the k-th of the upper half meets the k-th of the lower half."""
    assert pair({n: [] for n in range(1, 9)}, 5, range(1, 9), seats_matter=True) == [(1, 5), (6, 2), (3, 7), (8, 4)]


def test_four_rounds_are_paired_as_a_published_worked_example_has_them() -> None:
    """Floaters, colours, a bye, an absence and a forfeit: source in published.py."""
    histories: dict[int, list[Round]] = {number: [] for number in range(1, 15)}
    for line in HELD_2014:
        words = line.split()
        published = {_met(met): result for met, result in zip(words[::2], words[1::2], strict=True)}
        present = sorted({number for met in published for number in met if number is not None})
        assert set(pair(histories, 5, present, seats_matter=True)) == set(published)
        for met, result in published.items():
            _played(histories, met, result)
        for number in set(histories) - set(present):
            histories[number].append(Round(None, 0.0, played=False))


def _met(text: str) -> Encounter:
    first, second = text.split("-")
    return Encounter(int(first), None if second == "bye" else int(second))


def _played(histories: dict[int, list[Round]], met: Encounter, result: str) -> None:
    a, b = met
    if b is None:
        histories[a].append(Round(None, 1.0, played=False))
        return
    scored = {"1": 1.0, "½": 0.5}.get(result, 0.0)
    histories[a].append(Round(b, scored, True, result != "F"))
    histories[b].append(Round(a, 1 - scored, False, result != "F"))


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(st.integers(2, 14), st.integers(1, 7), st.integers(0, 10_000), st.booleans())
def test_nobody_meets_anyone_twice_and_nobody_rests_twice(count: int, rounds: int, seed: int, legs: bool) -> None:
    rng = random.Random(seed)
    histories: dict[int, list[Round]] = {entry: [] for entry in range(101, 101 + count)}
    met: set[frozenset[int]] = set()
    rested: set[int] = set()
    for _ in range(rounds):
        try:
            encounters = pair(histories, rounds, list(histories), seats_matter=legs)
        except NoPairing:
            break
        assert sorted(n for met in encounters for n in met if n is not None) == sorted(histories)
        for a, b in encounters:
            if b is None:
                assert a not in rested
                rested.add(a)
                histories[a].append(Round(None, 1.0, played=False))
                continue
            assert frozenset((a, b)) not in met
            met.add(frozenset((a, b)))
            won = rng.choice((0.0, 0.5, 1.0))
            histories[a].append(Round(b, won, first=True))
            histories[b].append(Round(a, 1 - won))


def test_who_is_not_there_is_not_paired() -> None:
    histories = {n: [Round(None, 0.0, played=False)] if n == 4 else [] for n in (1, 2, 3, 4)}
    histories = {1: [], 2: [], 3: [], 4: []}
    assert sorted(pair(histories, 3, [1, 2, 4], seats_matter=True)) == [(1, 2), (4, None)]


def test_a_forfeit_is_no_reason_for_a_rematch() -> None:
    histories = {1: [Round(2, 1.0, True, False)], 2: [Round(1, 0.0, False, False)]}
    with pytest.raises(NoPairing):
        pair(histories, 3, [1, 2], seats_matter=True)


def test_two_who_have_met_cannot_go_on() -> None:
    histories = {1: [Round(2, 1.0, True)], 2: [Round(1, 0.0)]}
    with pytest.raises(NoPairing, match="everyone"):
        pair(histories, 3, [1, 2], seats_matter=False)


def test_an_encounter_is_a_pair() -> None:
    assert pair({7: [], 9: []}, 1, [7, 9], seats_matter=True) == [Encounter(7, 9)]
