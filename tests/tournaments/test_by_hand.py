"""What is set for the rounds of a Swiss event is obeyed, used once, and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from arena.models import Entry, Pairing, Tournament
from arena.tournaments import actions, by_hand, leaving
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import EntrySpec
from arena.tournaments.words import why_said
from tests.kit.tournaments import a_spec, begun, builtins, sheet
from tests.tournaments.rows import result, results

pytestmark = pytest.mark.django_db
Pairs = Sequence[tuple[str, str]]


def swiss(count: int = 6, apart: Pairs = (), next_pairs: Pairs = (), **values: Any) -> Tournament:
    first = dict(next_pairs)
    entries = tuple(
        replace(each, meets=first.get(each.name, ""), apart=tuple(b for a, b in apart if a == each.name))
        for each in builtins(count)
    )
    return begun(a_spec(entries=entries, format="swiss", rounds=3, **values))


def met(found: Sheet, round: int) -> list[tuple[str, str]]:
    return [(found.names[line.a], found.names.get(line.b or 0, "")) for line in found.lines if line.round == round]


def by_hand_in(found: Sheet) -> list[tuple[int, int]]:
    return [(line.round, line.number) for line in found.lines if by_hand.is_by_hand(found, line)]


def play(event: Tournament) -> Sheet:
    """The open round, each match won by its first side, and what follows."""
    for pairing in Pairing.objects.filter(tournament=event, state="open", matches=None):
        result(pairing, "1-0")
    return actions.go_on(event)


def test_pairings_that_are_set_come_first_and_are_used_once() -> None:
    event = swiss(next_pairs=(("p6", "p5"), ("p1", "p2")))
    found = sheet(event.slug)
    assert met(found, 1)[:2] == [("p1", "p2"), ("p6", "p5")]
    assert {name for pair in met(found, 1) for name in pair} == {f"p{n}" for n in range(1, 7)}
    assert by_hand_in(found) == [(1, 1), (1, 2)] and by_hand.next_pairs(found) == []
    assert by_hand_in(play(event)) == [(1, 1), (1, 2)], "the next round is paired as usual"


def test_a_round_may_be_set_as_a_whole_and_the_odd_one_out_has_a_bye() -> None:
    assert met(sheet(swiss(4, next_pairs=(("p1", "p2"), ("p4", "p3"))).slug), 1) == [("p1", "p2"), ("p4", "p3")]
    event = swiss(5, name="Odd cup", next_pairs=(("p1", "p2"), ("p4", "p3")))
    assert met(sheet(event.slug), 1) == [("p1", "p2"), ("p4", "p3"), ("p5", "")]


def test_all_matches_of_an_encounter_are_by_hand() -> None:
    found = sheet(swiss(4, legs=2, next_pairs=(("p1", "p2"),)).slug)
    assert [line.leg for line in found.lines if by_hand.is_by_hand(found, line)] == [1, 2]


def test_who_is_kept_apart_never_meets_whatever_the_table_says() -> None:
    apart = tuple(combinations(("p1", "p2", "p3"), 2))
    event = swiss(6, apart=apart)
    while (found := play(event)).tournament.state == "running":
        pass
    pairs = {frozenset(pair) for n in (1, 2, 3) for pair in met(found, n)}
    assert found.round == 3 and not pairs & {frozenset(pair) for pair in apart}
    assert len(by_hand.apart(found)) == 3, "it stays"


ALONE = [["p5", f"p{n}"] for n in range(1, 5)]
LEAVES_TWO_WHO_HAVE_MET = [["p1", "p3"], ["p2", "p4"]]


@pytest.mark.parametrize(
    ("apart", "following", "words"),
    [
        (ALONE, [], "without two who are kept apart"),
        ([], LEAVES_TWO_WHO_HAVE_MET, "beside the pairings that are set for it"),
        ([["p1", "p4"]], LEAVES_TWO_WHO_HAVE_MET, "beside the pairings that are set for it"),
        (ALONE, LEAVES_TWO_WHO_HAVE_MET, "with those who are kept apart and the pairings that are set"),
    ],
)
def test_a_round_that_cannot_be_paired_so_pauses_the_event_and_says_what_is_in_the_way(
    apart: Any, following: Any, words: str
) -> None:
    event = swiss(6, next_pairs=(("p1", "p2"), ("p3", "p4"), ("p5", "p6")))
    before = sheet(event.slug).tournament.settings
    Tournament.objects.update(settings={**before, "apart": apart, "next_pairs": following})
    found = play(event)
    assert found.tournament.state == "paused" and found.round == 1 and words in found.tournament.why
    assert why_said(found) == found.tournament.why and len(found.tournament.why) < 200
    assert len(by_hand.next_pairs(found)) == len(following), "nothing is used up"
    Tournament.objects.update(settings={**found.tournament.settings, "apart": [], "next_pairs": []})
    actions.resume(event)
    found = actions.go_on(event)
    assert (found.tournament.state, found.tournament.why, found.round) == ("running", "", 2)


def test_where_everyone_has_met_everyone_no_rule_is_in_the_way() -> None:
    event = swiss(4, apart=(("p1", "p2"),))
    Tournament.objects.update(settings={**event.settings, "rounds": 3})
    for _ in range(3):
        found = play(event)
    assert found.tournament.state == "paused", "only p1 and p2 have not met"
    Tournament.objects.update(settings={**found.tournament.settings, "apart": []})
    actions.resume(event)
    actions.go_on(event)
    assert play(event).tournament.state == "finished"


def test_whoever_left_is_paired_with_nobody() -> None:
    event = swiss(6)
    Tournament.objects.update(settings={**event.settings, "next_pairs": [["p1", "p2"]]})
    leaving.withdraw(event, Entry.objects.get(name="p1"))
    found = play(event)
    assert found.round == 2 and by_hand_in(found) == [] and by_hand.next_pairs(found) == []


def test_what_was_set_for_the_next_round_is_for_no_later_one() -> None:
    event = actions.create(a_spec(entries=(*builtins(5),), format="swiss", rounds=3), state="waiting")
    Tournament.objects.update(settings={**event.settings, "next_pairs": [["p1", "late"]]})
    actions.start(event)
    assert "next_pairs" not in sheet(event.slug).tournament.settings
    actions.enter(event, EntrySpec("late", "builtin", "random"))
    assert by_hand_in(play(event)) == []


def test_an_event_that_everybody_has_left_is_over() -> None:
    event = swiss(4)
    for entry in Entry.objects.all():
        leaving.withdraw(event, entry)
    found = actions.go_on(event)
    assert found.tournament.state == "finished" and found.tournament.why


def test_other_formats_know_nothing_of_it() -> None:
    event = begun(a_spec(4, format="knockout"))
    Tournament.objects.update(settings={**event.settings, "apart": [["p1", "p2"]], "next_pairs": [["p1", "p2"]]})
    results("1-0", "1-0")
    found = actions.go_on(event)
    assert met(found, 2) and by_hand.apart(found) == by_hand.next_pairs(found) == by_hand_in(found) == []
