"""The desk between rows and an engine of the test's own: what is given out when, and what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from arena.cluster.lease import Fence
from arena.models import Audit, Work
from arena.work import rows
from arena.work.desk import Desk
from arena.work.engine import RunLost
from arena.work.kinds import LONGEST_S
from arena.work.rows import Answered, AnswerRefused, Came, Kind, RunVoid, WorkRun
from tests.kit.until import asked_until, until

pytestmark = pytest.mark.django_db(transaction=True)


class Bench:
    """An engine that does nothing by itself: the test answers."""

    slots = 2

    def __init__(self) -> None:
        self.jobs: dict[int, tuple[Any, asyncio.Future[Any]]] = {}
        self.still = False
        self.ended: list[int] = []

    async def run(self, slot: int, function: str, job: Any, on_slice: Any = None) -> Any:
        future = asyncio.get_running_loop().create_future()
        self.jobs[slot] = job, future
        try:
            return await future
        finally:
            del self.jobs[slot]

    def end(self, slot: int) -> None:
        self.ended.append(slot)

    def stand_still(self) -> None:
        self.still = True

    def go_on(self) -> None:
        self.still = False

    def rest(self) -> None: ...

    async def close(self) -> None: ...


class Office:
    """A desk with its bench, and what it has stored and told."""

    def __init__(self, longest_s: float = LONGEST_S, together: bool = False) -> None:
        self.bench, self.quiet = Bench(), True
        self.stored: list[tuple[dict[str, Any], Any]] = []
        self.told: list[str] = []
        self.answers: list[Exception] = []
        self.batches: list[int] = []
        all_of = self._store_all if together else None
        kind = Kind("m:f", lambda run: run.spec.get("n"), self._store, longest_s=longest_s, store_all=all_of)
        self.surprises: list[Exception] = []
        self.desk = Desk(self.bench, {"sum": kind}, None, self._is_quiet, self._done)

    def _is_quiet(self) -> bool:
        if self.surprises:
            raise self.surprises.pop()
        return self.quiet

    def _store(self, run: WorkRun, found: Any, fence: Fence | None) -> bool:
        if self.answers:
            raise self.answers.pop(0)
        return rows.answer(run, lambda: self.stored.append((run.spec, found)), fence)

    def _store_all(self, some: Sequence[Answered], fence: Fence | None) -> list[Came]:
        self.batches.append(len(some))
        return [self._store(run, found, fence) for run, found in some]

    def _done(self, run: WorkRun) -> None:
        self.told.append(run.key)


async def lose_one(bench: Bench) -> None:
    """The run that is given out next is lost."""
    await until(lambda: bool(bench.jobs))
    job = next(iter(bench.jobs.values()))
    job[1].set_exception(RunLost("its process died"))
    await until(lambda: job not in bench.jobs.values())


@sync_to_async
def submitted(*keys: str, **spec: int) -> None:
    rows.submit("sum", [(key, spec) for key in keys], 0)


@sync_to_async
def states() -> dict[str, str]:
    return dict(Work.objects.values_list("key", "state"))


async def test_what_waits_is_given_out_as_far_as_there_are_slots() -> None:
    await submitted("a", "b", "c", n=7)
    office = Office()
    await until(lambda: len(office.bench.jobs) == 2)
    assert [job for job, _ in office.bench.jobs.values()] == [7, 7]
    office.bench.jobs[0][1].set_result(49)
    await until(lambda: office.told == ["a"] and len(office.bench.jobs) == 2)
    assert office.stored == [({"n": 7}, 49)]
    assert await states() == {"a": "done", "b": "out", "c": "out"}
    await office.desk.close()
    assert await states() == {"a": "done", "b": "waiting", "c": "waiting"}


async def _answer(bench: Bench, slot: int) -> None:
    """This slot has computed its run."""
    job = bench.jobs[slot]
    job[1].set_result(0)
    await until(lambda: job not in bench.jobs.values())


async def test_answers_are_stored_together_while_their_slots_compute_what_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.work.tray.LIE_S", 3600.0)
    await submitted("a", "b", "c", "d", n=7)
    office = Office(together=True)
    for _ in "ab":
        await until(lambda: len(office.bench.jobs) == 2)
        await _answer(office.bench, 0)
    await until(lambda: len(office.bench.jobs) == 2)
    assert not office.stored and (await states())["a"] == "out"
    await _answer(office.bench, 0)  # nothing is left for this slot: somebody may wait for what lies there
    await until(lambda: len(office.told) == 3)
    assert office.batches == [3] and list(office.bench.jobs) == [1]
    assert await states() == {"a": "done", "b": "out", "c": "done", "d": "done"}
    await office.desk.close()


async def test_what_is_computed_is_stored_when_the_desk_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.work.tray.LIE_S", 3600.0)
    await submitted("a", "b", "c", n=7)
    office = Office(together=True)
    await until(lambda: len(office.bench.jobs) == 2)
    await _answer(office.bench, 0)
    await until(lambda: len(office.bench.jobs) == 2)
    await office.desk.close()
    assert len(office.stored) == 1 and await states() == {"a": "done", "b": "waiting", "c": "waiting"}


async def test_an_error_that_nobody_expects_ends_no_desk() -> None:
    await submitted("a", n=1)
    office = Office()
    office.surprises = [RuntimeError("a fault of ours")]
    await until(lambda: not office.surprises)
    office.desk.call()
    await until(lambda: bool(office.bench.jobs))
    await office.desk.close()


async def test_a_database_that_fails_is_told_with_the_kinds_of_work_that_wait_for_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A host has two desks, and a line that comes twice tells nothing."""
    office = Office()
    office.surprises = [OperationalError("away")]
    await until(lambda: not office.surprises)
    await until(lambda: "no work (sum) is given out for now, trying again: away" in caplog.text)
    office.quiet = False
    office.desk.call()
    await until(lambda: office.bench.still)
    assert "resolved" not in caplog.text, "nothing was tried"
    office.quiet = True
    office.desk.call()
    await until(lambda: "resolved: no work (sum)" in caplog.text)
    await office.desk.close()


async def test_nothing_is_given_out_and_what_is_out_stands_still_while_it_is_not_quiet() -> None:
    await submitted("a", n=1)
    office = Office()
    await until(lambda: bool(office.bench.jobs))
    office.quiet = False
    await until(lambda: office.bench.still)
    await submitted("b", n=2)
    office.desk.call()
    await until(lambda: not office.desk._called.is_set())
    assert len(office.bench.jobs) == 1 and await states() == {"a": "out", "b": "waiting"}
    office.quiet = True
    await until(lambda: len(office.bench.jobs) == 2 and not office.bench.still)
    await office.desk.close()


async def test_a_lost_run_is_tried_again_and_at_last_given_up() -> None:
    await submitted("a", n=1)
    office = Office()
    for _ in range(rows.MOST_FAULTS):
        await lose_one(office.bench)
    await asked_until(states, lambda found: found["a"] == "failed")
    assert office.stored == []
    await office.desk.close()


async def test_where_there_is_nothing_left_to_do_the_row_is_done() -> None:
    await submitted("a")
    office = Office()
    await until(lambda: office.told == ["a"])
    assert office.stored == [] and await states() == {"a": "done"}
    await office.desk.close()


async def test_a_run_that_was_cancelled_ends_with_the_next_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.work.desk.BEAT_S", 0.02)
    await submitted("a", n=1)
    office = Office()
    await until(lambda: bool(office.bench.jobs))
    await Work.objects.aupdate(state=Work.State.CANCELLED)
    await until(lambda: not office.bench.jobs)
    assert office.stored == [] and await states() == {"a": "cancelled"}
    await office.desk.close()


async def test_a_run_that_takes_too_long_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.work.desk.BEAT_S", 0.02)
    await submitted("a", n=1)
    office = Office(longest_s=0.05)
    await asked_until(states, lambda found: found["a"] == "failed")
    assert "it took longer" in (await Work.objects.aget()).why
    await office.desk.close()


async def test_an_answer_that_cannot_be_ends_its_process_and_is_tried_again() -> None:
    await submitted("a", n=1)
    office = Office()
    office.answers = [AnswerRefused("event 3: no such move"), RunVoid("it stood still"), OperationalError("away")]
    for _ in range(3):
        await until(lambda: bool(office.bench.jobs))
        job = office.bench.jobs[0]
        job[1].set_result(1)
        await until(lambda job=job: job not in office.bench.jobs.values())  # type: ignore[misc]
    await asked_until(states, lambda found: found["a"] == "done")
    assert office.bench.ended == [0] and office.stored == [({"n": 1}, 1)]
    row = await Work.objects.aget()
    assert (row.faults, row.voids) == (1, 1) and row.worker.endswith(" 0.1")
    assert (await Audit.objects.aget()).subject.endswith(" 0.0")
    await office.desk.close()


async def test_work_that_nobody_here_knows_waits_for_somebody_else() -> None:
    await sync_to_async(rows.submit)("other", [("x", {})], 5)
    await submitted("a", n=1)
    office = Office()
    await until(lambda: bool(office.bench.jobs))
    assert await states() == {"x": "waiting", "a": "out"}
    await office.desk.close()
