"""The bracket by seeds, and how an encounter is decided."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.knockout import Bracket, Verdict, decide, first_round, rounds
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
    played, found = 1, {(1, number): (each, through(each)) for number, each in enumerate(met, 1)}
    while further := Bracket(found).next_round(played):
        played += 1
        found |= {(played, number): (each, through(each)) for number, each in further}
    bracket = Bracket(found)
    assert played == rounds(count) == bracket.rounds
    assert (bracket.final, bracket.champion) == (Encounter(1, 2), 1)


def through(met: Encounter) -> Verdict:
    return Verdict(min(entry for entry in met if entry is not None))


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


def test_a_drawn_encounter_whose_last_match_both_forfeited_sends_nobody_on() -> None:
    assert decide(Encounter(1, 8), {1: 0.5, 8: 0.5}, 2, 2, SEEDS, forfeited=True) == (None, 0, "both have forfeited")


def of_eight(*winners: int | None, third_place: bool = False) -> Bracket:
    """The bracket of eight with these verdicts, in the order in which the encounters are paired; `0`: being played."""
    found: dict[tuple[int, int], tuple[Encounter, Verdict | None]] = {}
    left, round, paired = list(winners), 1, list(enumerate(first_round(range(1, 9)), 1))
    while paired and left:
        for number, met in paired:
            winner = left.pop(0) if left else 0
            verdict = Verdict(met.a) if met.b is None else None if winner == 0 else Verdict(winner)
            found[round, number] = (met, verdict)
        paired, round = Bracket(found, third_place=third_place).next_round(round), round + 1
    return Bracket(found, third_place=third_place)


def titles(bracket: Bracket) -> dict[int, str]:
    return {entry: bracket.title(level) for entry, level in bracket.levels().items()}


def test_everybody_is_as_far_as_the_round_reached() -> None:
    """1, 4, 2 and 3 win; 4 beats 1 and 2 beats 3; 2 wins the final."""
    bracket = of_eight(1, 4, 2, 3, 4, 2, 2)
    assert titles(bracket) == {
        **dict.fromkeys((5, 6, 7, 8), "Quarter-final"),
        **dict.fromkeys((1, 3), "Semi-final"),
        4: "Final",
        2: "Winner",
    }
    levels = bracket.levels()
    assert sorted(levels, key=lambda entry: (-levels[entry], entry)) == [2, 4, 1, 3, 5, 6, 7, 8]


def test_who_lost_in_the_semi_finals_play_for_the_third_place() -> None:
    bracket = of_eight(1, 4, 2, 3, 4, 2, 2, 3, third_place=True)
    assert bracket.encounters[3, 2][0] == Encounter(1, 3)
    assert (bracket.champion, titles(bracket)[3], titles(bracket)[1]) == (2, "Third place", "Semi-final")


def test_who_is_still_in_is_ahead_of_who_is_out() -> None:
    levels = of_eight(1, 0, 2, 3).levels()
    assert levels[1] > levels[4] == levels[5] > levels[8]


def test_where_nobody_is_through_the_next_opponent_has_a_bye() -> None:
    bracket = of_eight(None, 4, 2, 3, 0, 3, 3, third_place=True)
    assert bracket.encounters[2, 1][0] == Encounter(4, None)
    assert (3, 2) not in bracket.encounters, "one alone lost in a semi-final: nobody to play against"
    assert titles(bracket)[1] == titles(bracket)[8] == "Quarter-final"


def test_a_final_that_both_forfeit_has_no_winner() -> None:
    bracket = of_eight(1, 4, 2, 3, 1, 2, None)
    assert (bracket.champion, bracket.is_nobodys) == (None, True)
    assert titles(bracket)[1] == titles(bracket)[2] == "Final"


@pytest.mark.parametrize("winners", [(None,) * 4, (1, 4, 2, 3, None, None)])
def test_without_anybody_left_there_is_no_final_and_nobody_has_won(winners: tuple[int | None, ...]) -> None:
    bracket = of_eight(*winners)
    assert (bracket.final, bracket.is_nobodys) == (None, True)


def test_while_somebody_is_left_the_final_is_not_yet_nobodys() -> None:
    assert not of_eight(None, None, None).is_nobodys
    assert not of_eight(None, None, None, 3).is_nobodys
    assert not Bracket({}).is_nobodys


@pytest.mark.parametrize("overruled", [Verdict(4), Verdict(None, 2), None])
def test_a_semi_final_overruled_when_the_final_was_paired_sends_nobody_into_it(overruled: Verdict | None) -> None:
    before = of_eight(1, 4, 2, 3, 1, 2, 2)
    after = Bracket({**before.encounters, (2, 1): (Encounter(1, 4), overruled)})
    assert after.levels() == before.levels()
    assert (titles(after)[1], titles(after)[4]) == ("Final", "Semi-final")
