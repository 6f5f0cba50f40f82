"""How workers and work are told to be doing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from django.test import override_settings
from django.utils import timezone

from arena.admin.machines import shown
from arena.models import Machine, Returned, Work
from arena.work import rows, state

pytestmark = pytest.mark.django_db(transaction=True)


def machine(name: str, **said: object) -> None:
    row = {"slots": 2, "speed": 1, "sandbox": 0, "seen": timezone.now(), "rules": "r1", "lost": 1, "late": 2} | said
    Machine.objects.create(name=name, **row)


def test_each_worker_is_in_one_state() -> None:
    machine("a", seen=timezone.now() - timedelta(minutes=1))
    machine("b", rules="r0")
    machine("c", draining=True)
    machine("d", distrusted="it has lied")
    machine("e")
    machine("f")
    rows.submit("sum", [("x", {})], 0)
    Work.objects.update(state="out", until=timezone.now(), worker="f", secret="s")
    assert [(each.machine.name, each.state, each.running) for each in state.workers_seen("r1")] == [
        ("b", "other rules", 0), ("c", "draining", 0), ("d", "not trusted", 0), ("e", "idle", 0), ("f", "works", 1),
        ("a", "gone", 0),
    ]  # fmt: skip
    assert state.totals() == (6, 12, 0)


def test_a_slot_whose_answer_waits_to_be_judged_is_free() -> None:
    """Its worker has begun another run meanwhile, and would seem to have more of them than slots."""
    machine("a")
    rows.submit("sum", [("x", {}), ("y", {}), ("z", {})], 0)
    Work.objects.update(state="out", until=timezone.now(), worker="a", secret="s", token=1)
    Returned.objects.create(work=Work.objects.get(key="x"), token=1, worker="a", found="{}")
    (seen,) = state.workers_seen("r1")
    assert (seen.running, seen.state) == (2, "works")


def test_what_a_worker_has_given_back_is_told_and_is_news_for_a_while() -> None:
    now = timezone.now()
    machine("a", lacks="pairing:1:1: no room", lacked=now)
    machine("b", lacks="pairing:2:1: no room", lacked=now - timedelta(minutes=5))
    machine("c", lacks="pairing:3:1: no room", lacked=now, seen=now - timedelta(minutes=1))
    machine("d")
    seen = state.workers_seen("r1")
    assert [(each.machine.name, each.lacks) for each in seen] == [("a", True), ("b", False), ("d", False), ("c", False)]
    assert seen[0].gave_back == f"gave back at {now:%d %b %H:%M:%S} pairing:1:1: no room" and seen[2].gave_back == ""


@override_settings(ARENA_SANDBOX_MIN=2)
def test_who_gets_no_programs_of_bots_is_told_with_the_level_that_they_need(capsys: pytest.CaptureFixture[str]) -> None:
    machine("a", sandbox=1)
    machine("b", sandbox=2)
    weak, strong = ("sandbox 1 (no programs of bots: these need 2)", "sandbox 2")
    assert [each.sandbox for each in state.workers_seen("r1")] == [weak, strong]
    call_command("work", "list")
    assert f"1 kmoves/s  {weak}  rules r1\n" in capsys.readouterr().out
    assert f"1 thousand moves a second, {weak}, " in render_to_string("admin/machines_live.html", shown())


def test_work_is_counted_by_kind_and_state() -> None:
    rows.submit("sum", [("x", {}), ("y", {})], 0)
    (row,) = state.counts()
    assert (row.kind, row.state, row.number) == ("sum", "waiting", 2)
    assert row.oldest == Work.objects.get(key="x").made
