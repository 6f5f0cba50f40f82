"""Who withdraws, who does not come, and how both are taken back."""

from __future__ import annotations

from datetime import timedelta
from itertools import combinations

import pytest
from django.utils import timezone

from arena.models import Audit, Entry, Match, Pairing, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import result, results
from tests.tournaments.test_actions import refused

pytestmark = pytest.mark.django_db


def entry_of(name: str, slug: str = "spring-cup") -> Entry:
    return Entry.objects.get(tournament__slug=slug, name=name)


def stands(slug: str = "spring-cup") -> list[tuple[str, str, str, str]]:
    """Status, who has lost it and why, of every pairing by its names."""
    found = sheet(slug)
    names = {**found.names, 0: ""}
    return [
        (f"{names[line.a]}-{names[line.b or 0]}", line.status, line.forfeited_by, line.reason) for line in found.lines
    ]


def missed(name: str, times: int = 2) -> None:
    for _ in range(times):
        leaving.count_call(entry_of(name).pk)


def test_who_withdraws_before_the_start_is_gone() -> None:
    tournament = actions.create(a_spec(3))
    leaving.withdraw(tournament, Entry.objects.get(name="p2"))
    assert not Entry.objects.filter(name="p2").exists()


def test_who_withdraws_loses_what_is_open() -> None:
    tournament = begun(a_spec(4, legs=2))
    p4 = Entry.objects.get(name="p4")
    for pairing in Pairing.objects.filter(b=p4):
        result(pairing, "0-1")
    assert "keeps its 3 results" in leaving.withdrawal_says(sheet("spring-cup"), p4)
    leaving.withdraw(tournament, p4, "mira")
    found = sheet("spring-cup")
    assert sum(line.status == "forfeited" for line in found.lines) == 3
    assert found.annulled == frozenset()
    assert refused(leaving.withdraw, tournament, p4) == "not_there"


def test_a_withdrawal_says_what_it_does() -> None:
    tournament = actions.create(a_spec(3))
    entry = Entry.objects.get(name="p1")
    assert leaving.withdrawal_says(sheet("spring-cup"), entry) == "p1 is taken off the list."
    actions.start(tournament)
    assert "less than half" in leaving.withdrawal_says(sheet("spring-cup"), entry)
    results("1-0", "1-0", "1-0")
    assert "any match left to play is lost" in leaving.withdrawal_says(sheet("spring-cup"), entry), "there may be none"


def test_in_a_knockout_the_opponent_of_who_withdrew_is_through() -> None:
    tournament = begun(a_spec(4, format="knockout"))
    results("1-0", "1-0")
    assert "p1 keeps its 1 result;" in leaving.withdrawal_says(sheet("spring-cup"), entry_of("p1"))
    leaving.withdraw(tournament, Entry.objects.get(name="p1"))
    found = actions.go_on(tournament)
    assert [line.status for line in found.lines] == ["played", "played", "forfeited"]
    assert actions.go_on(tournament).tournament.state == "finished"


def test_a_withdrawal_is_undone_while_an_all_play_all_event_runs() -> None:
    tournament = begun(a_spec(4))
    before = stands()
    leaving.withdraw(tournament, entry_of("p4"), "mira")
    assert sheet("spring-cup").annulled == {entry_of("p4").pk}
    leaving.undo_withdrawal(tournament, entry_of("p4"), "mira")
    assert stands() == before and sheet("spring-cup").annulled == frozenset()
    assert refused(leaving.undo_withdrawal, tournament, entry_of("p4")) == "not_withdrawn"
    assert [audit.act for audit in Audit.objects.order_by("pk")] == [
        "tournament withdraw",
        "tournament undo withdrawal",
    ]


def test_whose_withdrawal_is_undone_is_back_even_if_it_was_given_up_before() -> None:
    tournament = begun(a_spec(3))
    before = stands()
    missed("p3")
    leaving.withdraw(tournament, entry_of("p3"))
    assert refused(leaving.take_back, tournament, entry_of("p3")) == "not_absent"
    leaving.undo_withdrawal(tournament, entry_of("p3"))
    assert stands() == before and sheet("spring-cup").gone == frozenset()


def test_where_both_have_withdrawn_the_other_one_has_lost_when_the_first_is_back() -> None:
    tournament = begun(a_spec(2, legs=2))
    for name in ("p1", "p2"):
        leaving.withdraw(tournament, entry_of(name))
    leaving.undo_withdrawal(tournament, entry_of("p1"))
    assert stands() == [("p1-p2", "forfeited", "b", "p2 withdrew"), ("p2-p1", "forfeited", "a", "p2 withdrew")]


def test_a_withdrawal_stays_when_the_next_round_was_paired_without_it() -> None:
    tournament = begun(a_spec(4, format="swiss", rounds=3))
    leaving.withdraw(tournament, entry_of("p1"))
    results("1-0")
    actions.go_on(tournament)
    assert refused(leaving.undo_withdrawal, tournament, entry_of("p1")) == "too_late"
    leaving.withdraw(tournament, entry_of("p2"))
    leaving.undo_withdrawal(tournament, entry_of("p2"))
    assert sheet("spring-cup").entries[entry_of("p2").pk].withdrawn is None


def test_nobody_waits_for_who_withdrew_during_a_match_that_ended_without_a_result() -> None:
    tournament = begun(a_spec(3))
    match = result(Pairing.objects.get(a=entry_of("p2"), b=entry_of("p3")), "*")
    leaving.withdraw(tournament, entry_of("p3"))
    Match.objects.filter(pk=match.pk).update(ended=match.opened, termination="server_abort")
    results("1-0")
    assert actions.go_on(tournament).tournament.state == "finished"
    assert ("p2-p3", "forfeited", "b", "p3 withdrew") in stands()


def test_a_withdrawal_of_who_came_late_is_undone_until_the_next_round_is_paired() -> None:
    tournament = begun(a_spec(4, format="swiss", rounds=3))
    for name in ("late", "later"):
        actions.enter(tournament, EntrySpec(name, "builtin", "club"))
        leaving.withdraw(tournament, entry_of(name))
    leaving.undo_withdrawal(tournament, entry_of("late"))
    results("1-0", "1-0")
    found = actions.go_on(tournament)
    assert any(entry_of("late").pk in (line.a, line.b) for line in found.lines)
    assert refused(leaving.undo_withdrawal, tournament, entry_of("later")) == "too_late"


@pytest.mark.parametrize("format", ["round-robin", "gauntlet"])
def test_who_is_back_meets_those_who_came_meanwhile(format: str) -> None:
    tournament = begun(a_spec(4, format=format))
    leaving.withdraw(tournament, entry_of("p1"))
    for name in ("late", "gone"):
        actions.enter(tournament, EntrySpec(name, "builtin", "club"))
    leaving.withdraw(tournament, entry_of("gone"))
    leaving.undo_withdrawal(tournament, entry_of("p1"))
    leaving.undo_withdrawal(tournament, entry_of("gone"))
    found = sheet("spring-cup")
    everyone = list(combinations(sorted(found.entries), 2))
    wanted = everyone if format == "round-robin" else [pair for pair in everyone if entry_of("p1").pk in pair]
    assert sorted((min(line.a, line.b or 0), max(line.a, line.b or 0)) for line in found.lines) == wanted
    assert {line.status for line in found.lines} == {"waiting"}


def test_what_was_decided_by_the_organiser_stays_decided() -> None:
    tournament = begun(a_spec(3))
    pairing = Pairing.objects.filter(b=entry_of("p3")).first() or Pairing.objects.get(a=entry_of("p3"))
    actions.award(pairing, "both", "neither came")
    leaving.withdraw(tournament, entry_of("p3"))
    leaving.undo_withdrawal(tournament, entry_of("p3"))
    assert [status for _, status, _, _ in stands()].count("forfeited") == 1


# -- who does not come -------------------------------------------------------------------------------------------------


def test_a_call_is_one_for_all_pairings_and_the_second_one_loses_them() -> None:
    tournament = begun(a_spec(4))
    missed("p4", 1)
    assert [line.calls for line in sheet("spring-cup").lines if entry_of("p4").pk in (line.a, line.b)] == [1, 1, 1]
    assert {status for _, status, _, _ in stands()} == {"waiting"}
    missed("p4", 1)
    lost = [each for each in stands() if each[1] == "forfeited"]
    assert len(lost) == 3 and {why for *_, why in lost} == {"p4 did not come"}
    assert sheet("spring-cup").annulled == frozenset(), "its opponents have won"
    missed("p4", 1)
    assert entry_of("p4").calls == 2, "who was given up is called no more"
    assert tournament.pk


def test_who_came_has_missed_nothing() -> None:
    begun(a_spec(3))
    missed("p3", 1)
    leaving.count_came(entry_of("p3").pk)
    missed("p3", 1)
    assert entry_of("p3").absent is None


def test_a_call_in_vain_means_nothing_for_what_has_been_played_meanwhile() -> None:
    begun(a_spec(2))
    result(Pairing.objects.get(), "*")
    missed("p1")
    assert stands() == [("p1-p2", "running", "", "")] and entry_of("p1").calls == 0


def test_the_organiser_forgets_the_calls_so_far() -> None:
    tournament = begun(a_spec(3))
    missed("p3", 1)
    actions.call_missing(tournament, "mira")
    assert entry_of("p3").calls == 0 and {line.calls for line in sheet("spring-cup").lines} == {0}


def test_two_who_are_both_missing_lose_to_each_other() -> None:
    begun(a_spec(3))
    missed("p3")
    missed("p2")
    assert {names: by for names, _, by, _ in stands()} == {"p2-p3": "both", "p1-p2": "b", "p3-p1": "a"}


def test_two_who_miss_the_last_calls_of_an_event_together_both_lose() -> None:
    begun(a_spec(2))
    both = [entry_of("p1").pk, entry_of("p2").pk]
    for _ in range(leaving.MOST_MISSED):
        leaving.count_calls(both)
    assert stands() == [("p1-p2", "forfeited", "both", "p1 and p2 did not come")]


def test_who_played_on_keeps_what_it_won_before_it_went_missing() -> None:
    begun(a_spec(3))
    missed("p3")
    result(Pairing.objects.get(a=entry_of("p1"), b=entry_of("p2")), "1-0")
    missed("p2")
    assert {names: by for names, _, by, _ in stands()}["p2-p3"] == "b"


def test_forfeits_are_taken_back_within_the_hour_and_the_event_goes_on() -> None:
    tournament = begun(a_spec(3))
    missed("p3")
    results("1-0")
    actions.go_on(tournament)
    assert Tournament.objects.get().state == "finished"
    Entry.objects.filter(name="p3").update(absent=timezone.now() - timedelta(minutes=61))
    assert refused(leaving.take_back, tournament, entry_of("p3")) == "too_late"
    Entry.objects.filter(name="p3").update(absent=timezone.now() - timedelta(minutes=59))
    leaving.take_back(tournament, entry_of("p3"), "mira")
    assert Tournament.objects.get().state == "running"
    assert sorted(status for _, status, _, _ in stands()) == ["played", "waiting", "waiting"]
    assert refused(leaving.take_back, tournament, entry_of("p3")) == "not_absent"


def test_who_is_taken_back_into_a_swiss_event_is_paired_from_the_next_round_on() -> None:
    tournament = begun(a_spec(4, format="swiss", rounds=3))
    missed("p1")
    results("1-0")
    found = actions.go_on(tournament)
    p1 = entry_of("p1").pk
    assert not any(p1 in (line.a, line.b) for line in found.lines if line.round == 2), "nobody waits for it again"
    leaving.take_back(tournament, entry_of("p1"))
    results("1-0")
    found = actions.go_on(tournament)
    assert any(p1 in (line.a, line.b) for line in found.lines if line.round == 3)
    assert sum(line.status == "forfeited" for line in found.lines) == 1, "round 2 was paired by it"


def test_a_forfeited_semi_final_stays_when_the_final_is_paired() -> None:
    tournament = begun(a_spec(4, format="knockout", third_place=True))
    missed("p1")
    results("1-0")
    found = actions.go_on(tournament)
    assert [status for _, status, _, _ in stands()] == ["forfeited", "played", "waiting", "forfeited"], "no third call"
    leaving.take_back(tournament, entry_of("p1"))
    assert [status for _, status, _, _ in stands()][-1] == "waiting", "its match for the third place is open again"
    assert found.bracket.rounds == 2
    leaving.withdraw(tournament, entry_of("p2"))
    found = actions.go_on(tournament)
    results("1-0")
    found = actions.go_on(tournament)
    assert found.tournament.state == "finished"
    assert [(line.rank, found.names[line.entry], found.reached[line.entry]) for line in found.standings] == [
        (1, "p4", "Winner"),
        (2, "p2", "Final"),
        (3, "p1", "Third place"),
        (4, "p3", "Semi-final"),
    ]
