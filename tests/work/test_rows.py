"""The life of a row: who has it, who may answer, and what becomes of it when nobody does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.models import Audit, Machine, Returned, Work
from arena.web.system.metrics import of_work
from arena.work import rows
from arena.work.rows import Beat, Kind
from arena.work.workers import orders
from arena.work.workers.lender import Counter

pytestmark = pytest.mark.django_db(transaction=True)


def submitted(*keys: str, priority: int = 0) -> None:
    rows.submit("sum", [(key, {"n": 1}) for key in keys], priority)


def claimed() -> rows.WorkRun:
    run = rows.claim("here", ("sum",))
    assert run is not None
    return run


def run_out() -> None:
    Work.objects.update(until=Now() - timedelta(seconds=1))


def row(key: str) -> Work:
    return Work.objects.get(key=key)


def test_the_most_urgent_is_claimed_first_and_nothing_twice() -> None:
    submitted("a", "b")
    submitted("c", priority=5)
    submitted("a", priority=9)
    assert [claimed().key for _ in range(3)] == ["c", "a", "b"]
    assert rows.claim("here", ("sum",)) is None


def test_an_answer_ends_the_run_with_what_follows_from_it() -> None:
    submitted("a")
    run, stored = claimed(), list[str]()
    assert rows.answer(run, lambda: stored.append("x"), None)
    assert (stored, row("a").state, row("a").until) == (["x"], "done", None)
    assert not rows.answer(run, lambda: stored.append("y"), None), "once is enough"
    assert stored == ["x"]


def test_what_cannot_be_stored_leaves_the_row_as_it_was() -> None:
    submitted("a")
    run = claimed()

    def fails() -> None:
        Work.objects.create(kind="sum", key="made on the way")
        raise ValueError

    with pytest.raises(ValueError):
        rows.answer(run, fails, None)
    assert row("a").state == "out" and Work.objects.count() == 1


def test_a_run_past_its_lease_is_another_one_s_and_its_answer_comes_too_late() -> None:
    submitted("a")
    slow = claimed()
    assert rows.beat(slow) == Beat.KEPT
    rows.sweep()
    assert rows.claim("there", ("sum",)) is None, "it lives by its heartbeats"
    Work.objects.update(until=Now() + timedelta(hours=1))  # by a clock that was set back since
    rows.sweep()
    assert Work.objects.filter(state="out", until__lte=Now() + rows.LASTS).exists(), "and without them no longer"
    run_out()
    rows.sweep()
    again = claimed()
    assert again.token == slow.token + 1 and row("a").faults == 1
    assert rows.beat(slow) == Beat.CANCELLED and not rows.answer(slow, pytest.fail, None)
    assert rows.answer(again, lambda: None, None)


def test_after_three_faults_nobody_tries_again() -> None:
    submitted("a")
    for _ in range(rows.MOST_FAULTS):
        rows.fault(claimed(), "it died")
    assert rows.claim("here", ("sum",)) is None
    assert (row("a").state, row("a").faults, row("a").why) == ("failed", 3, "it died")


def test_what_is_given_back_is_no_fault() -> None:
    submitted("a")
    rows.give_back(claimed())
    assert claimed().key == "a" and row("a").faults == 0


def test_cancelled_work_ends_with_the_next_heartbeat() -> None:
    submitted("a")
    run = claimed()
    rows.cancel(Work.objects.filter(key="a"), "nobody waits for it")
    assert rows.beat(run) == Beat.CANCELLED and not rows.answer(run, pytest.fail, None)


def test_what_was_done_long_ago_is_forgotten() -> None:
    submitted("a", "b")
    rows.answer(claimed(), lambda: None, None)
    Work.objects.update(made=Now() - rows.DONE_KEPT - timedelta(hours=1))
    rows.sweep()
    assert [each.key for each in Work.objects.all()] == ["b"]


def test_work_for_this_machine_alone_is_claimed_apart() -> None:
    submitted("a", "b")
    Work.objects.filter(key="b").update(needs=Work.HOST)
    found = rows.claim("here", ("sum",), (Work.HOST,))
    assert found is not None and found.key == "b" and rows.claim("here", ("sum",), (Work.HOST,)) is None
    assert claimed().key == "a"


def test_what_was_answered_is_not_taken_back_before_it_is_judged() -> None:
    submitted("a", "b")
    first, second = claimed(), claimed()
    Machine.objects.create(name="here", slots=1, speed=1, sandbox=0, seen=Now())
    Returned.objects.create(work_id=first.work, token=first.token, worker="here", found="{}")
    run_out()
    rows.sweep()
    assert (row("a").state, row("b").state) == ("out", "waiting")
    assert Machine.objects.get().lost == 1 and second.key == "b"


def test_an_answer_that_comes_too_late_is_counted() -> None:
    submitted("a")
    run = claimed()
    assert rows.answer(run, lambda: None, None) and row("a").late == 0
    assert not rows.answer(run, pytest.fail, None)
    assert not rows.answer(run._replace(token=7), pytest.fail, None)
    assert row("a").late == 2


def test_nobody_answers_with_the_token_of_another() -> None:
    submitted("a")
    run = claimed()
    assert not rows.answer(run._replace(worker="elsewhere"), pytest.fail, None)
    assert rows.answer(run, lambda: None, None)


def test_what_was_cancelled_stays_so_and_what_was_withdrawn_can_be_wanted_again() -> None:
    submitted("a", "b")
    runs = claimed(), claimed()
    assert rows.cancel(Work.objects.filter(key__in=("a", "x")), "by mira") == 1
    rows.withdraw(["b"])
    submitted("a", "b")
    again = claimed()
    assert again.key == "b" and row("a").why == "by mira"
    assert [rows.answer(run, pytest.fail, None) for run in runs] == [False, False]
    assert rows.answer(again, lambda: None, None)


def test_what_was_done_for_nothing_is_done_again() -> None:
    submitted("a")
    run = claimed()
    assert rows.answer(run, lambda: None, None)
    rows.submit_again("a")
    again = claimed()
    assert again.token == run.token + 1 and not rows.answer(run, pytest.fail, None)


def test_what_an_earlier_host_had_out_is_given_out_again_at_once() -> None:
    submitted("a", "b")
    claimed(), claimed()
    Work.objects.filter(key="b").update(secret="of a worker elsewhere")
    rows.take_over(("sum",), None, lends=True)
    assert (claimed().key, row("a").faults, row("b").state) == ("a", 0, "out")


def test_a_host_that_lends_nothing_takes_back_what_workers_have_and_what_was_lent() -> None:
    """Nobody would judge their answers, and the rows would be out for ever."""
    submitted("a", "b", "c")
    late = claimed()
    Work.objects.filter(key="a").update(secret="of a worker elsewhere")
    Returned.objects.create(work_id=late.work, token=late.token, worker=late.worker, found="{}")
    Work.objects.filter(key="b").update(lent=timezone.now())
    Work.objects.create(kind="other", key="d", lent=timezone.now())
    rows.take_over(("sum",), None, lends=False)
    assert not Returned.objects.exists() and not rows.answer(late, pytest.fail, None)
    assert list(Work.objects.filter(lent__isnull=False).values_list("key", flat=True)) == ["d"]
    assert [claimed().key for _ in range(3)] == ["a", "b", "c"]


def test_an_answer_that_nobody_has_read_is_kept_for_a_week() -> None:
    submitted("read", "unread", "old")
    Work.objects.exclude(key="read").update(kept="{}")
    Work.objects.update(state=Work.State.DONE, made=timezone.now() - timedelta(days=2))
    Work.objects.filter(key="old").update(made=timezone.now() - timedelta(days=8))
    rows.sweep()
    assert [each.key for each in Work.objects.all()] == ["unread"]


def test_a_run_that_is_void_is_no_fault() -> None:
    submitted("a")
    for voids in range(rows.MOST_FAULTS + 1):
        run = claimed()
        assert run.voids == voids
        rows.void(run, "its machine stood still")
    assert (row("a").state, row("a").faults, row("a").why) == ("waiting", 0, "its machine stood still")


def test_a_worker_that_lies_is_told_of_and_its_work_goes_to_another() -> None:
    now = Now()
    of_it = {"machine_class": "x", "slots": 1, "speed": 1, "rules": "", "version": "", "sandbox": 0, "seen": now}
    Machine.objects.create(name="here", **of_it)
    submitted("a")
    rows.distrust(claimed(), "event 3: no such move")
    assert (row("a").state, row("a").faults) == ("waiting", 1)
    assert Machine.objects.get().distrusted == "a: event 3: no such move"
    told = Audit.objects.get()
    assert (told.act, told.subject, told.data["why"]) == ("distrust worker", "here", "event 3: no such move")


def test_only_what_a_worker_knows_is_given_to_it() -> None:
    submitted("a")
    assert rows.claim("here", ("product",)) is None


def test_ten_thousand_at_once_cost_no_more_queries_than_a_few(client: Client) -> None:
    """Submitted, claimed, looked at, given up and cancelled; a claim finds its row by the index."""
    client.force_login(User.objects.create_superuser("mira"))
    rows.sweep()  # the first one takes the lease
    few, many = (_queries_of(client, number) for number in (10, 10_000))
    in_portions = [many.pop(act) + few.pop(act) for act in ("submit", "withdraw")]
    assert many == few and max(in_portions) < 160, (few, many, in_portions)
    next_two = Work.objects.filter(state="waiting", kind__in=("sum",)).order_by("-priority", "id")[:2]
    assert "work_waiting" in next_two.explain()


def _queries_of(client: Client, number: int) -> dict[str, int]:
    """How many queries each action takes with this many rows of work, which are removed afterwards."""
    keys = [f"pairing:{n}:1" for n in range(number)]
    counter = Counter({"sum": Kind("none", lambda run: None, lambda run, found, fence: True)}, None)
    acts: dict[str, Callable[[], object]] = {
        "submit": lambda: submitted(*keys),
        "claim": claimed,
        "sweep": rows.sweep,
        "list": lambda: client.get("/admin/arena/work/"),
        "machines": lambda: client.get("/admin/machines/"),
        "metrics": of_work,
        "cancel": lambda: rows.cancel(Work.objects.filter(key__in=keys), "nobody waits for them"),
        "given up": counter.given_up,
        "again": lambda: orders.again(Work.objects.all()),
        "withdraw": lambda: rows.withdraw(keys),
    }
    found = {}
    for name, act in acts.items():
        with CaptureQueriesContext(connection) as queries:
            act()
        found[name] = len(queries)
    assert not Work.objects.exists()
    return found
