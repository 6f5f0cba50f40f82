"""What organisers do: done whole or refused in words, also when two do it at once."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from arena.match.commands import Refusal
from arena.match.endings import Termination
from arena.models import Audit, Bot, Entry, Pairing, Player, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, builtins, sheet
from tests.tournaments.rows import result, results, rule

pytestmark = pytest.mark.django_db


def refused(act: Any, *args: Any, **more: Any) -> str:
    before = list(Pairing.objects.values()), list(Entry.objects.values()), list(Tournament.objects.values())
    with pytest.raises(Refusal) as why:
        act(*args, **more)
    assert before == (list(Pairing.objects.values()), list(Entry.objects.values()), list(Tournament.objects.values()))
    return why.value.code


def a_player(name: str, kind: str = "person") -> Player:
    return Player.objects.create(kind=kind, name=name, slug=name)


def a_bot(name: str) -> Player:
    player = a_player(name, "bot")
    Bot.objects.create(player=player, variant="connect-four-7x6", protocol="fiar", family=name)
    return player


def names_of(found: Sheet, *statuses: str) -> list[tuple[str, str]]:
    lines = (line for line in found.lines if line.status in statuses)
    return [(found.names[line.a], found.names.get(line.b or 0, "")) for line in lines]


# -- making and starting -----------------------------------------------------------------------------------------------


def test_a_tournament_is_made_with_its_entries() -> None:
    tournament = actions.create(a_spec(3))
    assert (tournament.slug, tournament.state, tournament.settings["legs"]) == ("spring-cup", "draft", 1)
    assert list(tournament.entries.order_by("seed").values_list("seed", "name")) == [(1, "p1"), (2, "p2"), (3, "p3")]
    assert actions.create(a_spec(3)).slug == "spring-cup-2"


def test_what_cannot_be_played_is_not_made() -> None:
    assert refused(actions.create, a_spec(1, legs=0)) == "wrong_spec"


def test_it_may_have_nobody_yet_and_begins_with_two() -> None:
    tournament = actions.create(a_spec(0), None, None, "waiting")
    assert refused(actions.start, tournament) == "too_few"
    for entry in builtins(2):
        actions.enter(tournament, entry)
    actions.start(tournament)


def test_no_tournament_stands_where_new_ones_are_made() -> None:
    assert actions.create(a_spec(2, name="New")).slug == "new-2"


def test_a_seed_is_drawn_once() -> None:
    assert isinstance(actions.create(a_spec(2, seed=None)).settings["seed"], int)


def test_of_two_who_start_at_once_one_hears_that_it_has_begun() -> None:
    tournament = actions.create(a_spec(3))
    actions.start(tournament, "mira")
    assert refused(actions.start, tournament, "noa") == "already_started"
    assert Pairing.objects.count() == 3
    assert list(Audit.objects.values_list("actor", "act", "subject")) == [("mira", "tournament start", "spring-cup")]


def test_people_and_bots_play_together_only_with_consent() -> None:
    mira = EntrySpec("Mira", "person", player=a_player("mira").pk)
    tournament = actions.create(a_spec(entries=(*builtins(2), mira)))
    assert refused(actions.start, tournament) == "consent"
    actions.agree(Entry.objects.get(name="Mira"))
    actions.start(tournament)


def test_people_among_themselves_need_not_be_asked() -> None:
    people = tuple(EntrySpec(name, "person", player=a_player(name).pk) for name in ("ada", "bob"))
    actions.start(actions.create(a_spec(entries=people)))


def test_a_draft_is_opened_for_entries_once() -> None:
    tournament = actions.create(a_spec(2))
    actions.open_for_entries(tournament)
    assert refused(actions.open_for_entries, tournament) == "already_open"
    actions.start(tournament)


def test_it_waits_for_nobody_who_has_not_agreed() -> None:
    mira = EntrySpec("Mira", "person", player=a_player("mira").pk)
    tournament = actions.create(a_spec(entries=(*builtins(2), mira)))
    assert refused(actions.start_when_here, tournament) == "consent"


def test_pause_and_resume() -> None:
    tournament = begun(a_spec(2))
    actions.pause(tournament)
    assert refused(actions.pause, tournament) == "not_running"
    actions.resume(tournament)
    assert refused(actions.resume, tournament) == "not_paused"


def test_only_what_has_not_begun_is_deleted() -> None:
    assert refused(actions.delete, begun(a_spec(2))) == "already_started"
    actions.delete(actions.create(a_spec(2, name="Other")))
    assert Tournament.objects.count() == 1


# -- entries -----------------------------------------------------------------------------------------------------------


def test_who_comes_late_meets_everyone() -> None:
    tournament = begun(a_spec(3))
    actions.enter(tournament, EntrySpec("late", "builtin", "club"), "mira")
    found = sheet("spring-cup")
    met = [set(pair) for pair in names_of(found, "waiting") if "late" in pair]
    assert sorted(map(sorted, met)) == [["late", "p1"], ["late", "p2"], ["late", "p3"]]
    assert Entry.objects.get(name="late").late == 3


def test_who_comes_late_to_a_gauntlet_meets_its_first_entry_alone_even_if_that_has_withdrawn() -> None:
    tournament = begun(a_spec(3, format="gauntlet"))
    actions.enter(tournament, EntrySpec("late", "builtin", "club"))
    leaving.withdraw(tournament, Entry.objects.get(name="p1"))
    actions.enter(tournament, EntrySpec("later", "builtin", "club"))
    found = sheet("spring-cup")
    assert names_of(found, "waiting") == []
    assert {name for pair in names_of(found, "forfeited") for name in pair if "p1" in pair} >= {"late", "later"}


def test_who_comes_late_to_a_swiss_event_is_in_the_next_round() -> None:
    tournament = begun(a_spec(4, format="swiss"))
    actions.enter(tournament, EntrySpec("late", "builtin", "club"))
    results("1-0", "1-0")
    found = actions.go_on(tournament)
    assert "late" in {found.names[line.a] for line in found.lines} | {
        found.names.get(line.b or 0) for line in found.lines
    }


# -- decisions ---------------------------------------------------------------------------------------------------------


def test_a_re_run_keeps_the_old_record() -> None:
    tournament = begun(a_spec(2))
    pairing = Pairing.objects.get()
    match = result(pairing, "1-0")
    assert actions.go_on(tournament).tournament.state == "finished"
    again = actions.rerun(pairing, "the wrong version played", "mira")
    found = sheet("spring-cup")
    assert (again.attempt, found.lines[0].status, found.tournament.state) == (2, "waiting", "running")
    assert found.replaced[0].matches[0].id == match.id
    assert refused(actions.rerun, pairing, "again") == "not_there"


def test_who_has_gone_plays_nothing_again_before_it_is_brought_back() -> None:
    tournament = begun(a_spec(2))
    leaving.withdraw(tournament, Entry.objects.get(name="p2"))
    assert refused(actions.rerun, Pairing.objects.get(), "it is here again") == "gone"


def test_who_has_gone_is_awarded_no_win() -> None:
    tournament = begun(a_spec(2))
    pairing = Pairing.objects.get()
    Entry.objects.filter(name="p1").update(absent=tournament.created)
    assert refused(actions.award, pairing, "a", "p2 is broken") == "gone"
    actions.award(pairing, "b", "p1 is not there")
    assert sheet("spring-cup").lines[0].forfeited_by == "a"


def test_a_knockout_must_know_who_goes_on() -> None:
    tournament = begun(a_spec(2, format="knockout"))
    assert refused(actions.award, Pairing.objects.get(), "drop", "nobody wants to") == "wrong_award"
    actions.award(Pairing.objects.get(), "draw", "agreed")
    assert [line.leg for line in actions.go_on(tournament).lines] == [1, 2, 3], "a drawn one goes on"


@pytest.mark.parametrize(("reason", "code"), [(" ", "reason_required"), ("because", "not_over")])
def test_a_re_run_needs_a_reason_and_an_end(reason: str, code: str) -> None:
    begun(a_spec(2))
    assert refused(actions.rerun, Pairing.objects.get(), reason) == code


def test_a_next_round_and_the_end_are_news_to_whoever_follows_the_event() -> None:
    tournament = begun(a_spec(4, format="swiss", rounds=2))
    for _ in range(2):
        results("1-0", "1-0")
        before = Tournament.objects.get().version
        actions.go_on(tournament)
        paired = Tournament.objects.get().version
        assert paired > before, "no match and no result is new"
        actions.go_on(tournament)
        assert Tournament.objects.get().version == paired, "nothing has changed"
    assert Tournament.objects.get().state == "finished"


def test_a_round_that_was_paired_by_a_result_is_not_played_again() -> None:
    tournament = begun(a_spec(4, format="swiss", rounds=3))
    results("1-0", "1-0")
    actions.go_on(tournament)
    assert refused(actions.rerun, Pairing.objects.order_by("pk")[0], "x") == "too_late"


@pytest.mark.parametrize(
    ("to", "points"), [("a", [1, 0]), ("b", [1, 0]), ("both", [0, 0]), ("drop", [0, 0]), ("draw", [0.5, 0.5])]
)
def test_the_organiser_decides_what_nobody_has_played(to: str, points: list[float]) -> None:
    tournament = begun(a_spec(2))
    Pairing.objects.update(state="handed")
    actions.award(Pairing.objects.get(), to, "the bot is broken", "mira")
    assert [line.points for line in actions.go_on(tournament).standings] == points
    assert sheet("spring-cup").tournament.state == "finished"


def test_what_has_a_result_is_decided_at_the_match() -> None:
    begun(a_spec(2))
    pairing = Pairing.objects.get()
    assert refused(actions.award, pairing, "c", "x") == "wrong_award"
    assert refused(actions.award, pairing, "a", "") == "reason_required"
    result(pairing, "1-0")
    assert refused(actions.award, pairing, "a", "x") == "not_open"


def test_a_ruling_changes_the_table_of_a_finished_event() -> None:
    tournament = begun(a_spec(2))
    match = result(Pairing.objects.get(), "1-0")
    assert actions.go_on(tournament).names[actions.go_on(tournament).standings[0].entry] == "p1"
    rule(match, "win", 1)
    found = sheet("spring-cup")
    assert (found.names[found.standings[0].entry], found.tournament.state) == ("p2", "finished")


# -- reports -----------------------------------------------------------------------------------------------------------


def test_after_three_faults_the_organiser_decides() -> None:
    begun(a_spec(2))
    pairing = Pairing.objects.get()
    for _ in range(2):
        actions.count_fault(pairing.pk, hand_over=False)
    assert sheet("spring-cup").lines[0].status == "waiting"
    actions.count_fault(pairing.pk, hand_over=False)
    assert sheet("spring-cup").lines[0].status == "handed"


@pytest.mark.parametrize("paused", [False, True])
def test_the_organiser_decides_what_staff_have_stopped_even_if_the_server_died_of_it(paused: bool) -> None:
    """The match was stored, and the process that was to hand it over is gone: it was played again."""
    tournament = begun(a_spec(2))
    if paused:
        actions.pause(tournament)
    result(Pairing.objects.get(), "none", Termination.ADMIN_ABORT)
    lines = [actions.go_on(tournament).lines[0] for _ in range(2)]
    assert [(line.status, line.faults) for line in lines] == [("handed", 1)] * 2


def test_nothing_goes_on_while_it_is_paused() -> None:
    tournament = begun(a_spec(2))
    actions.pause(tournament)
    result(Pairing.objects.get(), "1-0")
    assert actions.go_on(tournament).tournament.state == "paused"
    actions.resume(tournament)
    found = actions.go_on(tournament)
    assert found.tournament.finished is not None and found.tournament.finished <= timezone.now()


def test_the_audit_names_who_was_awarded_a_pairing() -> None:
    begun(a_spec(3, legs=1))
    first, second, third = Pairing.objects.order_by("pk")
    for pairing, to in ((first, "b"), (second, "draw"), (third, "both")):
        actions.award(pairing, to, "the hall is closed", "mira")
    said = [audit.says() for audit in Audit.objects.filter(act="tournament award").order_by("pk")]
    assert said[0] == f"pairing: {first} (1.{first.number}.1); to: {first.b}; reason: the hall is closed"
    assert "; to: draw; " in said[1] and "; to: nobody, both have lost; " in said[2]
