"""What is to be played next, as it follows from the rows."""

from __future__ import annotations

import pytest

from arena.models import Entry, Pairing
from arena.tournaments import actions
from arena.tournaments.rounds import histories, next_slots, with_openings
from arena.tournaments.schedule import Encounter, Round, legs_of
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import result, results

pytestmark = pytest.mark.django_db


def test_while_a_round_is_played_nothing_follows() -> None:
    begun(a_spec(4, format="knockout"))
    assert next_slots(sheet("spring-cup")) == ((), False, "")


def test_a_round_robin_is_over_when_everything_is_played() -> None:
    begun(a_spec(3))
    results("1-0", "0-1", "1/2-1/2")
    assert next_slots(sheet("spring-cup")).finished


def test_the_winners_of_a_knockout_meet() -> None:
    begun(a_spec(5, format="knockout"))
    found = sheet("spring-cup")
    names = found.names
    assert [(names[line.a], names.get(line.b or 0, "")) for line in found.lines] == [
        ("p1", ""),
        ("p4", "p5"),
        ("p2", ""),
        ("p3", ""),
    ]
    results("0-1")
    slots = next_slots(sheet("spring-cup")).slots
    assert [(slot.round, names[slot.a], names[slot.b or 0]) for slot in slots] == [(2, "p1", "p5"), (2, "p2", "p3")]


def test_a_drawn_encounter_goes_on_with_the_seats_swapped() -> None:
    begun(a_spec(2, format="knockout"))
    results("1/2-1/2")
    found = sheet("spring-cup")
    (first,) = found.lines
    assert [(slot.leg, slot.a, slot.b) for slot in next_slots(found).slots] == [
        (2, first.b, first.a),
        (3, first.a, first.b),
    ]


def test_the_champion_is_who_won_the_last_encounter() -> None:
    begun(a_spec(2, format="knockout"))
    results("0-1")
    found = sheet("spring-cup")
    assert next_slots(found).finished
    assert found.names[found.bracket.champion or 0] == "p2"


def test_who_lost_in_the_semi_finals_play_for_the_third_place() -> None:
    tournament = begun(a_spec(4, format="knockout", third_place=True))
    results("1-0", "1-0")
    actions.go_on(tournament)
    found = sheet("spring-cup")
    last = [(found.names[line.a], found.names[line.b or 0]) for line in found.lines if line.round == 2]
    assert last == [("p1", "p2"), ("p4", "p3")]
    results("0-1", "0-1")
    found = sheet("spring-cup")
    assert next_slots(found).finished
    assert [(line.rank, found.names[line.entry]) for line in found.standings] == [
        (1, "p2"),
        (2, "p1"),
        (3, "p3"),
        (4, "p4"),
    ]


def test_a_knockout_in_which_both_forfeit_gives_the_next_one_a_bye() -> None:
    tournament = begun(a_spec(4, format="knockout"))
    results("1-0")
    pairing = Pairing.objects.get(number=2)
    actions.award(pairing, "both", "neither came")
    actions.go_on(tournament)
    assert [(slot.a, slot.b) for slot in next_slots(sheet("spring-cup")).slots] == []
    found = sheet("spring-cup")
    assert [(found.names[line.a], line.b) for line in found.lines if line.round == 2] == [("p1", None)]
    actions.go_on(tournament)
    found = sheet("spring-cup")
    assert found.tournament.state == "finished"
    assert [(line.rank, found.names[line.entry]) for line in found.standings] == [
        (1, "p1"),
        (2, "p2"),
        (2, "p3"),
        (2, "p4"),
    ]


def test_a_swiss_round_is_paired_by_what_was_won() -> None:
    begun(a_spec(5, format="swiss", rounds=3))
    results("1-0", "0-1")
    found = sheet("spring-cup")
    by_name = {found.names[pk]: rounds for pk, rounds in histories(found).items()}
    numbers = {name: pk for pk, name in found.names.items()}
    assert by_name["p1"] == [Round(numbers["p3"], 1.0, True, True)]
    assert by_name["p3"] == [Round(numbers["p1"], 0.0, False, True)]
    assert by_name["p5"] == [Round(None, 1.0, True, False)]
    slots = next_slots(found).slots
    assert {slot.round for slot in slots} == {2}
    assert len(slots) == 3


def test_a_swiss_event_that_cannot_be_paired_further_says_so() -> None:
    begun(a_spec(3, format="swiss", rounds=2))
    Entry.objects.filter(name="p3").update(withdrawn="2026-01-01T00:00Z")
    Pairing.objects.filter(b=None).update(a=Entry.objects.get(name="p3"))
    Pairing.objects.filter(b__isnull=False).update(a=Entry.objects.get(name="p1"), b=Entry.objects.get(name="p2"))
    result(Pairing.objects.get(b__isnull=False), "1-0")
    more = next_slots(sheet("spring-cup"))
    assert more.finished
    assert more.why == (
        "Finished after round 1 of 2. No further round can be paired: everyone has met everyone that is left."
    )


def test_legs_of_a_pair_share_an_opening_and_pairs_have_their_own() -> None:
    tournament = begun(a_spec(4, legs=4, opening_plies=2))
    openings = {(line.number, line.round, line.leg): line.opening for line in sheet(tournament.slug).lines}
    assert all(openings[n, r, 1] == openings[n, r, 2] != openings[n, r, 3] for n, r, leg in openings if leg == 1)
    assert len(set(openings.values())) == 12


def test_without_openings_matches_begin_at_the_start() -> None:
    begun(a_spec(2))
    found = sheet("spring-cup")
    assert [opening for _, opening in with_openings(found, legs_of(2, 1, Encounter(*found.entries), 1))] == [""]
