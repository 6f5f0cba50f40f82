"""What every act does: under a lock, recorded, its pairings added and lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from django.db import connection, transaction

from arena.match.commands import Refusal
from arena.models import Audit, Entry, Pairing, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.rounds import late_slots
from arena.tournaments.transactions import add, forfeit, lock, locked
from tests.kit.deadline import DEADLINE_S
from tests.kit.tournaments import a_spec, begun, sheet
from tests.kit.until import blocked_until
from tests.tournaments.rows import one_waits_for_another

pytestmark = pytest.mark.django_db


def test_an_act_is_recorded_and_seen_and_one_that_is_refused_is_neither() -> None:
    tournament = begun(a_spec(2))
    version = Tournament.objects.get().version
    with locked(tournament, "mira", "pause", why="lunch"):
        pass
    audit = Audit.objects.get()
    assert (audit.actor, audit.act, audit.subject, audit.data) == (
        "mira",
        "tournament pause",
        "spring-cup",
        {"why": "lunch"},
    )
    with pytest.raises(Refusal), locked(tournament, "mira", "pause"):
        raise Refusal("no", "No.")
    assert (Tournament.objects.get().version, Audit.objects.count()) == (version + 1, 1)


def test_who_acts_on_what_somebody_else_has_just_deleted_hears_that() -> None:
    tournament = actions.create(a_spec(2))
    actions.delete(Tournament.objects.get(), "mira")
    for act in (actions.start, actions.start_when_here, actions.open_for_entries, actions.pause, actions.delete):
        with pytest.raises(Refusal, match="^Spring cup was deleted in the meantime. Nothing was done.$") as why:
            act(tournament, "otto")
        assert why.value.code == "not_found"


def test_what_is_added_for_who_has_gone_is_lost_at_once() -> None:
    tournament = begun(a_spec(3))
    for _ in range(2):
        leaving.count_call(Entry.objects.get(name="p3").pk)
    found = lock(tournament)
    late = Entry.objects.create(tournament=tournament, seed=4, name="late", kind="builtin", level="club", late=1)
    found.entries[late.pk] = late
    add(found, late_slots(found, late.pk))
    line = next(line for line in sheet("spring-cup").lines if {line.a, line.b} >= {late.pk, max(found.gone)})
    assert (line.status, line.reason, line.by_absence) == ("forfeited", "p3 did not come", True)


def test_who_has_gone_loses_with_whoever_loses() -> None:
    tournament = begun(a_spec(2))
    Entry.objects.filter(name="p1").update(withdrawn=tournament.created)
    pairing = Pairing.objects.get()
    forfeit(pairing.pk, lock(tournament), {pairing.b_id}, "it is broken")
    assert sheet("spring-cup").lines[0].forfeited_by == "both"


@pytest.mark.service
def test_a_fault_that_is_counted_waits_for_an_act_and_the_act_for_no_fault(on_postgres: None) -> None:
    tournament = begun(a_spec(2))
    pairing = Pairing.objects.get().pk

    def counted() -> None:
        with closing(connection):
            actions.count_fault(pairing, hand_over=True)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lock(tournament)
            fault = pool.submit(counted)
            blocked_until(one_waits_for_another)
            Pairing.objects.filter(pk=pairing).update(reason="by an act")
        fault.result(DEADLINE_S)
    row = Pairing.objects.get()
    assert (row.state, row.faults, row.reason) == ("handed", 1, "by an act")
