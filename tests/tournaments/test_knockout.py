"""The bracket by seeds, and how an encounter is decided."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.knockout import decide, first_round, next_round, rounds
from arena.tournaments.schedule import Encounter

SEEDS = {1: 1, 8: 2}


def test_the_best_two_can_only_meet_in_the_final() -> None:
    assert first_round([1, 2, 3, 4, 5, 6, 7, 8]) == [(1, 8), (4, 5), (2, 7), (3, 6)]


def test_byes_go_to_the_best() -> None:
    assert first_round([11, 12, 13, 14, 15]) == [(11, None), (14, 15), (12, None), (13, None)]


@given(st.integers(2, 40))
def test_with_the_better_one_always_through_they_meet_in_the_order_of_their_seeds(count: int) -> None:
    met = first_round(list(range(1, count + 1)))
    byes = [encounter.a for encounter in met if encounter.b is None]
    assert byes == sorted(byes) or set(byes) == set(range(1, len(byes) + 1))
    played = 1
    while further := next_round([min(a, b) if b else a for a, b in met]):
        met, played = further, played + 1
    assert played == rounds(count)
    assert met == [Encounter(1, 2)]


def test_missing_matches_are_asked_for() -> None:
    assert decide(Encounter(1, 8), {1: 1, 8: 0}, 1, 2, SEEDS) == (None, 1, "")


def test_more_points_are_through() -> None:
    assert decide(Encounter(1, 8), {1: 0.5, 8: 1.5}, 2, 2, SEEDS) == (8, 0, "0.5 to 1.5")


def test_a_draw_goes_on_by_pairs_at_most_three_of_them() -> None:
    for played in (1, 3, 5):
        assert decide(Encounter(8, 1), {1: played / 2, 8: played / 2}, played, 1, SEEDS).further == 2
    verdict = decide(Encounter(8, 1), {1: 3.5, 8: 3.5}, 7, 1, SEEDS)
    assert (verdict.winner, verdict.further) == (1, 0)
    assert "the higher seed" in verdict.why


def test_a_bye_is_through() -> None:
    assert decide(Encounter(3, None), {}, 0, 2, {3: 1}).winner == 3
