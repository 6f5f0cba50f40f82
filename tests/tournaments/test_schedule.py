"""Laws of the schedules: each pair meets as often as planned, seats are balanced, nobody plays twice in a round."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.schedule import Encounter, Slot, gauntlet, late, legs_of, round_robin

FIELDS = st.lists(st.integers(1, 10_000), min_size=2, max_size=17, unique=True)
LEGS = st.integers(1, 6)


@given(FIELDS, LEGS)
def test_everyone_meets_everyone_in_as_many_matches_as_planned(entries: list[int], legs: int) -> None:
    met = Counter(frozenset((slot.a, slot.b)) for slot in round_robin(entries, legs))
    assert set(met.values()) == {legs}
    assert len(met) == len(entries) * (len(entries) - 1) // 2


@given(FIELDS, LEGS)
def test_seats_are_balanced(entries: list[int], legs: int) -> None:
    slots = round_robin(entries, legs)
    for entry in entries:
        first = sum(slot.a == entry for slot in slots)
        second = sum(slot.b == entry for slot in slots)
        assert abs(first - second) <= (0 if legs % 2 == 0 or len(entries) % 2 else 1)


@given(FIELDS)
def test_nobody_plays_twice_in_a_round_and_one_rests_when_they_are_odd(entries: list[int]) -> None:
    slots = round_robin(entries)
    for round in range(1, max(slot.round for slot in slots) + 1):
        playing = [entry for slot in slots if slot.round == round for entry in (slot.a, slot.b)]
        assert len(playing) == len(set(playing)) == len(entries) - len(entries) % 2


@given(FIELDS, st.integers(2, 6))
def test_pairs_of_legs_have_the_seats_swapped(entries: list[int], legs: int) -> None:
    slots = {(slot.round, slot.number, slot.leg): slot for slot in round_robin(entries, legs)}
    for (round, number, leg), slot in slots.items():
        if leg % 2 == 0:
            before = slots[round, number, leg - 1]
            assert (slot.a, slot.b) == (before.b, before.a)


def test_the_first_round_of_six_is_bergers() -> None:
    """FIDE handbook C.05, annex 1: Berger tables for 5 or 6 players, rounds 1 to 3."""
    rounds = [[(s.a, s.b) for s in round_robin([1, 2, 3, 4, 5, 6]) if s.round == n] for n in (1, 2, 3)]
    assert rounds == [[(1, 6), (2, 5), (3, 4)], [(6, 4), (5, 3), (1, 2)], [(2, 6), (3, 1), (4, 5)]]


@given(FIELDS, LEGS)
def test_in_a_gauntlet_the_first_meets_all_others(entries: list[int], legs: int) -> None:
    slots = gauntlet(entries, legs)
    assert len(slots) == (len(entries) - 1) * legs
    assert all(entries[0] in (slot.a, slot.b) for slot in slots)


def test_who_comes_late_meets_everyone_in_rounds_of_their_own() -> None:
    slots = late(9, [1, 2, 3], 2, after=5)
    assert [slot.round for slot in slots] == [6, 6, 7, 7, 8, 8]
    assert Counter(frozenset((slot.a, slot.b)) for slot in slots) == {frozenset((9, other)): 2 for other in (1, 2, 3)}


def test_further_legs_go_on_swapping() -> None:
    assert legs_of(2, 1, Encounter(4, 7), 2, after=2) == [Slot(2, 1, 3, 4, 7), Slot(2, 1, 4, 7, 4)]


def test_a_bye_has_one_leg() -> None:
    assert legs_of(1, 3, Encounter(5, None), 2) == [Slot(1, 3, 1, 5, None)]
