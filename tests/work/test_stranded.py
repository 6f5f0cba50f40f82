"""Which events wait for workers in vain, and why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from arena.models import Machine, Work
from arena.work.stranded import NO_WORKER, Stranded, Want, stranded, why_given_back

pytestmark = pytest.mark.django_db(transaction=True)

AFTER = timedelta(seconds=30)


def machine(name: str, sandbox: int = 3, sort: str = "c5", lacks: str = "") -> Machine:
    said = {"slots": 2, "speed": 1, "seen": timezone.now(), "lacked": timezone.now() if lacks else None}
    return Machine.objects.create(name=name, machine_class=sort, sandbox=sandbox, lacks=lacks, **said)


def waiting(event: int, **columns: object) -> Work:
    work = Work.objects.create(kind="play", key=f"pairing:{event}:1", spec={"event": event}, **columns)
    Work.objects.filter(pk=work.pk).update(made=timezone.now() - timedelta(minutes=1))
    return work


def test_without_a_machine_that_may_have_it_an_event_waits_for_a_worker() -> None:
    waiting(1)
    waiting(2, needs="c6")
    waiting(3, needs=Work.HOST)
    Work.objects.create(kind="play", key="new", spec={"event": 4})
    Work.objects.create(kind="analyse", key="analyse:a")
    assert stranded([], AFTER) == {1: NO_WORKER, 2: NO_WORKER}
    assert stranded([machine("a")], AFTER) == {2: NO_WORKER}


def test_an_event_whose_programs_need_a_better_sandbox_says_which() -> None:
    lent = timezone.now()
    waiting(1, lent=lent, sandbox=2)
    waiting(2, lent=lent, sandbox=2, needs="c6")
    waiting(3, lent=lent, sandbox=1)
    low, high = machine("low", 1), machine("high", 3)
    assert stranded([low], AFTER) == {1: Stranded(Want.SANDBOX, "2"), 2: NO_WORKER}
    assert stranded([low, machine("other", 1, "c6")], AFTER) == {
        1: Stranded(Want.SANDBOX, "2"),
        2: Stranded(Want.SANDBOX, "2"),
    }
    assert stranded([low, high], AFTER) == {2: NO_WORKER}


def test_an_event_whose_work_has_only_been_given_back_hears_what_its_worker_said() -> None:
    here = machine("a", lacks="pairing:1:1: no room")
    before = timezone.now() - timedelta(minutes=1)
    waiting(1, lacked=before, worker="a")
    waiting(2, lacked=timezone.now(), worker="a")
    waiting(3, lacked=before, worker="gone")
    waiting(4, lacked=before, worker="a", state=Work.State.DONE)
    assert stranded([here], AFTER) == {1: Stranded(Want.LACKING, "pairing:1:1: no room")}
    assert stranded([machine("b")], AFTER) == {}, "who has said it is gone"


def steps_of(ask: Callable[[], object]) -> int:
    """How many steps SQLite takes for what is asked."""
    counted: list[None] = []
    connection.ensure_connection()
    connection.connection.set_progress_handler(lambda: counted.append(None), 1)
    try:
        ask()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return len(counted)


def test_it_costs_no_more_when_much_work_waits() -> None:
    here = [machine("a", lacks="pairing:1:1: no room")]
    waiting(2, needs="c6")
    found: list[object] = []
    few = steps_of(lambda: found.append(stranded(here, AFTER)))
    said = {"kind": "play", "spec": {"event": 1}, "made": timezone.now() - timedelta(minutes=1)}
    Work.objects.bulk_create(Work(key=f"pairing:1:{n}", **said) for n in range(1, 1_000))
    Work.objects.update(made=said["made"])
    many = steps_of(lambda: found.append(stranded(here, AFTER)))
    assert found == [{2: NO_WORKER}] * 2 and many < few * 2


def test_a_bot_is_told_what_a_worker_said_of_it_and_of_nobody_else() -> None:
    why = "Ada does not start here: it stopped with exit code 1"
    for name, lacks in (("a", f"pairing:1:1: {why}"), ("b", "pairing:2:1: Bob does not start here: no room")):
        machine(name, lacks=lacks)
    for number, name in enumerate("aba"):
        work = waiting(number, lacked=timezone.now(), worker=name)
        work.spec |= {"spec": {"seats": [{"player": 7}, {"builtin": "random"}]}}
        work.save()
    assert why_given_back(7, "Ada") == why
    assert why_given_back(7, "Bob").startswith("Bob does not start")
    assert why_given_back(7, "Al") == why_given_back(8, "Ada") == ""
    Work.objects.update(lacked=None)
    assert why_given_back(7, "Ada") == ""
