"""What people order of work and workers."""

from __future__ import annotations

import pytest
from django.db.models.functions import Now

from arena.models import Machine, Work
from arena.work import rows
from arena.work.workers import orders

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_is_cancelled_is_not_begun_and_can_be_run_again() -> None:
    rows.submit("sum", [("a", {}), ("b", {}), ("c", {})], 0)
    run = rows.claim("here", ["sum"])
    assert run is not None and rows.claim("there", ["sum"])
    rows.answer(run, lambda: None, None)
    assert orders.cancel(Work.objects.all()) == 2
    assert dict(Work.objects.values_list("key", "state")) == {"a": "done", "b": "cancelled", "c": "cancelled"}
    assert rows.claim("here", ["sum"]) is None
    assert orders.again(Work.objects.filter(key="b")) == 1 and orders.again(Work.objects.filter(key="a")) == 0
    again = rows.claim("here", ["sum"])
    assert again is not None and again.key == "b"


def test_a_match_that_nobody_could_play_is_its_organiser_s_to_run_again() -> None:
    """Its pairing was handed over: under this key nobody waits for it any more."""
    rows.submit("play", [("pairing:1:1", {"event": 1, "pairing": 1})], 0)
    Work.objects.update(state="failed", faults=3)
    assert orders.again(Work.objects.all()) == 0 and not orders.may_wait_again(Work.objects.get())
    assert Work.objects.get().state == "failed"


def test_a_worker_is_drained_and_trusted_again() -> None:
    Machine.objects.create(name="blade", slots=1, speed=1, sandbox=0, seen=Now(), distrusted="it has lied")
    assert orders.drain(Machine.objects.all(), True) == 1 and orders.drain(Machine.objects.all(), True) == 0
    assert orders.trust(Machine.objects.all()) == 1 and orders.trust(Machine.objects.all()) == 0
    assert Machine.objects.get().draining
