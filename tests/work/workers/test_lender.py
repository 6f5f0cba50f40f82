"""Work on other machines: real workers beside a real server on PostgreSQL, killed, stopped and of another version."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import JSONField, Value
from django.utils import timezone

from arena.cluster.lease import Fence
from arena.models import LogSlice, Machine, Returned, Work
from arena.work import rows
from arena.work.database_thread import DatabaseThread
from arena.work.kinds import Where
from arena.work.rows import Answered, Came, Kind, WorkRun
from arena.work.rules_version import rules_version
from arena.work.stranded import NO_WORKER, stranded
from arena.work.workers import asking, lender, orders
from arena.work.workers.asking import ToDo
from arena.work.workers.lender import STRANDED, Counter, Lender, slots, workers
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT
from tests.kit.until import until
from tests.kit.workers import Cluster, cluster

pytestmark = pytest.mark.service

EXPIRE = "UPDATE arena_work SET until = now() - interval '1 second' WHERE state = 'out' RETURNING key"
# Answers of earlier runs than the newest, whose answer may lie there until it has been stored.
LATE = "SELECT count(*) FROM arena_returned AS r JOIN arena_work AS w ON w.id = r.work_id WHERE r.token < w.token"
DONE = "SELECT key, worker, token FROM arena_work WHERE state = 'done' ORDER BY id"

# A worker of these rules that is there for a day, and takes nothing.
MACHINE = """
INSERT INTO arena_machine (name, sort, slots, speed, rules, version, sandbox, kinds, since, seen, draining, distrusted,
    answered, lost, late)
VALUES ('idle', 'c5', 1, 1, %s, '1', 0, '["analyse"]', now(), now() + interval '1 day', false, '', 0, 0, 0)
"""


@pytest.mark.cases(0)  # each takes a minute of processor: `make soak ARGS=cases`
async def test_workers_compute_what_the_host_stores_and_one_that_dies_loses_nothing(
    postgres: Postgres, tmp_path: Path
) -> None:
    async with cluster(tmp_path, postgres, "lender") as arena:
        first = await arena.worker()
        await arena.manage("match", "expanding-nim", "builtin:random", "builtin:random", "--save", "--rounds", "2")
        await arena.until("SELECT 1 FROM arena_analysis HAVING count(*) = 2")
        await arena.until("SELECT 1 FROM arena_machine WHERE answered = 2")
        assert await arena.ask("SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')") == [(0,)]
        (slot,) = first.slots
        await _hold(arena, slot)
        await first.kill()
        await arena.ask(EXPIRE)  # unless that has taken as long as the lease lasts
        await arena.worker()
        await arena.until(f"SELECT 1 FROM ({DONE}) AS done HAVING count(*) = 2")
        held = await arena.ask("SELECT faults, token, why FROM arena_work WHERE faults > 0")
        assert held == [(1, 3, "")], held
        await arena.until("UPDATE arena_machine SET seen = now() - interval '1 minute' WHERE lost = 1 RETURNING name")
        said = await arena.manage("work", "list")
        assert " gone " in said and "0/1 slots" in said and " 1 lost," in said


@pytest.mark.cases(0)  # each takes a minute of processor: `make soak ARGS=cases`
async def test_a_worker_that_was_stopped_stores_nothing_when_it_goes_on(postgres: Postgres, tmp_path: Path) -> None:
    async with cluster(tmp_path, postgres, "stopped") as arena:
        stopped = await arena.worker()
        await arena.manage("match", "expanding-nim", "builtin:random", "builtin:random", "--save", "--rounds", "1")
        await arena.until("SELECT 1 FROM arena_analysis")
        (slot,) = stopped.slots
        await _hold(arena, slot)
        stopped.signal(signal.SIGSTOP)
        await arena.ask(EXPIRE)  # unless that has taken as long as the lease lasts
        other = await arena.worker()
        await other.until_said(": answered\n")
        assert await arena.until(DONE)
        stopped.signal(signal.SIGCONT)
        await stopped.until_said("no longer ours")
        assert await arena.ask(LATE) == [(0,)]
        stopped.signal(signal.SIGTERM)
        assert await stopped.ends() == 0


@pytest.mark.cases(0)  # each takes a minute of processor: `make soak ARGS=cases`
async def test_a_worker_of_other_rules_takes_nothing_and_a_restart_of_the_database_loses_nothing(
    postgres: Postgres, tmp_path: Path
) -> None:
    async with cluster(tmp_path, postgres, "rules") as arena:
        await arena.worker(root=_other_rules(tmp_path / "source"))
        await arena.manage("match", "expanding-nim", "builtin:random", "builtin:random", "--save", "--rounds", "1")
        await arena.until("SELECT 1 FROM arena_work WHERE state = 'waiting'")
        assert " other rules " in await arena.manage("work", "list")
        right = await arena.worker()
        await arena.until("SELECT 1 FROM arena_analysis")
        assert await arena.ask("SELECT sum(token) FROM arena_work") == [(1,)]
        (slot,) = right.slots
        await _hold(arena, slot)
        postgres.stop()
        postgres.start()
        _go_on(slot)
        await arena.until("SELECT 1 FROM arena_work WHERE state = 'done' AND token > 1")


async def test_the_host_lends_again_after_the_queue_has_failed(postgres: Postgres, tmp_path: Path) -> None:
    async with cluster(tmp_path, postgres, "failing") as arena:
        await arena.ask("CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$")
        await arena.ask("CREATE TRIGGER fails BEFORE INSERT ON procrastinate_jobs EXECUTE FUNCTION fails()")
        await arena.ask(MACHINE, rules_version())
        await arena.manage("match", "expanding-nim", "builtin:random", "builtin:random", "--save", "--rounds", "1")
        await arena.server.until_said("nothing is lent to workers for now, trying again: no room")
        await arena.ask("DROP TRIGGER fails ON procrastinate_jobs")
        assert await arena.until("SELECT 1 FROM procrastinate_jobs")


@pytest.mark.django_db
def test_a_worker_that_only_plays_has_no_slot_for_an_analysis() -> None:
    now = timezone.now()
    Machine.objects.create(
        name="plays", slots=2, speed=1, sandbox=0, rules=rules_version(), kinds=["play"], since=now, seen=now
    )
    assert (slots(["play"]), slots(["analyse"])) == (2, 0)


@pytest.mark.django_db
def test_an_event_beside_workers_that_only_analyse_waits_for_one_that_plays() -> None:
    now = timezone.now()
    said = {"slots": 2, "speed": 1, "sandbox": 3, "rules": rules_version(), "since": now}
    Machine.objects.create(name="analyses", kinds=["analyse"], seen=now, **said)
    rows.submit("play", [("pairing:1:1", {"event": 7})], 0)
    Work.objects.update(made=now - timedelta(minutes=1))
    assert stranded(workers(["play"], STRANDED), STRANDED) == {7: NO_WORKER}
    Machine.objects.create(name="plays", kinds=["play"], seen=now, **said)
    assert stranded(workers(["play"], STRANDED), STRANDED) == {}


@pytest.mark.django_db
@pytest.mark.parametrize("kinds", [5, None, "play", {"play": 1}, [["play"]], [None, "play"]])
def test_a_worker_may_say_anything_of_what_it_takes(kinds: Any) -> None:
    """The first that says nonsense would end what the host does with all the others."""
    now = timezone.now()
    said = {"slots": 2, "speed": 1, "sandbox": 0, "rules": rules_version(), "since": now, "seen": now}
    Machine.objects.create(name="a", kinds=kinds if kinds is not None else Value(None, JSONField()), **said)
    assert slots(["play"]) == (2 if kinds == [None, "play"] else 0)


@pytest.mark.django_db
def test_what_is_cancelled_or_lost_too_often_is_told_once() -> None:
    """No worker answers for that, and somebody waits for it."""
    counter = Counter({"play": Kind("none", lambda run: None, lambda run, found, fence: True)}, None)
    rows.submit("play", [("pairing:1:1", {"event": 7}), ("pairing:2:1", {"event": 8})], 0)
    rows.submit("analyse", [("analyse:a", {})], 0)
    assert counter.given_up() == []
    orders.cancel(Work.objects.filter(key__in=("pairing:1:1", "analyse:a")))
    assert [run.spec for run in counter.given_up()] == [{"event": 7}]
    Work.objects.filter(key="pairing:2:1").update(state="failed", faults=3)
    assert [run.spec for run in counter.given_up()] == [{"event": 8}]
    assert counter.given_up() == []


@pytest.mark.django_db
def test_what_workers_have_given_back_is_lent_after_all_else_that_is_wanted() -> None:
    """Else the matches of one program that none of them can start would take the places of all others."""
    rows.submit("play", [(key, {}) for key in "abcd"], 20)
    rows.submit("play", [(key, {}) for key in "ef"], -20)
    Work.objects.filter(key__in="abe").update(lacked=timezone.now())

    def first(wanted: int, rest: int = 0) -> str:
        return "".join(each.run.key for each in asking.waiting(["play"], wanted, rest))

    assert [first(wanted) for wanted in (1, 2, 3, 9)] == ["c", "cd", "cda", "cdab"]
    assert first(2, 9) == "cdfe" and first(0, 1) == "f"


@pytest.fixture
def told_and_cancelled(on_postgres: None) -> None:
    """Two runs of which a worker tells, and one that somebody has cancelled."""
    rows.submit("play", [(key, {}) for key in ("a", "b", "c")], 0)
    Work.objects.update(rules=rules_version())
    for each in Work.objects.filter(key__in=("a", "b")).order_by("pk"):
        LogSlice.objects.create(work=each, token=each.token, worker="w", found="{}")
    orders.cancel(Work.objects.filter(key="c"))
    now = timezone.now()
    said = {"slots": 2, "speed": 1, "sandbox": 0, "rules": rules_version(), "since": now, "seen": now}
    Machine.objects.create(name="w", kinds=["play"], **said)


async def test_what_fails_with_one_match_keeps_nothing_else(
    told_and_cancelled: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lender, "IDLE_S", 0.05)
    shown: list[str] = []
    lent = asyncio.Event()

    class Screen:
        async def show(self, match: str) -> None:
            shown.append(match)
            if match == "a":
                raise LookupError("its log is damaged")

        async def end(self, match: str) -> None: ...

    def done(run: WorkRun) -> None:
        raise RuntimeError(f"nobody has heard of {run.key}")

    kind = Kind(
        *("none", lambda run: run.key, lambda run, found, fence: True),
        where=lambda job: Where(Work.HOST),
        store_slice=lambda run, found, fence: run.key,
    )
    lends = Lender({"play": kind}, None, done, lent.set, Screen())
    async with asyncio.timeout(DEADLINE_S):
        await lent.wait()
    await lends.close()
    assert shown == ["a", "b"]
    assert "match a, which a worker plays, cannot be shown" in caplog.text
    assert "nobody has heard of c" in caplog.text


@pytest.fixture
def returned_and_ready(on_postgres: None) -> None:
    """Two runs that a worker has answered, and a row that lies ready for one."""
    rows.submit("play", [(key, {}) for key in ("a", "b", "c")], 0)
    out = {"rules": rules_version(), "lent": timezone.now(), "until": timezone.now() + timedelta(hours=1)}
    Work.objects.filter(key__in=("a", "b")).update(state="out", token=1, worker="w", secret="s", **out)
    Work.objects.filter(key="c").update(lent=timezone.now())
    for each in Work.objects.filter(state="out"):
        Returned.objects.create(work=each, token=1, worker="w", found=json.dumps({"answer": each.key}))


async def test_answers_are_stored_together_while_more_lies_ready_for_workers(
    returned_and_ready: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lender, "LIE_S", 3600.0)
    monkeypatch.setattr(lender, "BUSY_S", 0.02)
    batches: list[list[str]] = []

    def store_all(some: Sequence[Answered], fence: Fence | None) -> list[Came]:
        batches.append([found for _, found in some])
        rows.answer_all([run for run, _ in some], lambda newest: None, fence)
        return [True for _ in some]

    looks = Looks({"play": Kind("none", lambda run: None, lambda *_: True, store_all=store_all)}, None)
    lends = Lender(looks.kinds, None, lambda run: None, lambda: None)
    lends._counter = looks
    await until(lambda: looks.count > 3)
    assert not batches
    asks = DatabaseThread("test")  # the thread of Django's own calls would keep this database for other tests
    now_out = {"state": "out", "secret": "s", "until": timezone.now() + timedelta(hours=1)}
    await asks.call(lambda: Work.objects.filter(key="c").update(**now_out))
    await until(lambda: bool(batches))
    await lends.close()
    assert batches == [["a", "b"]] and not await asks.call(Returned.objects.exists)
    await asks.close()


class Looks(Counter):
    """It counts how often it was asked what there is to do."""

    count = 0

    def to_do(self) -> ToDo:
        self.count += 1
        return super().to_do()


async def _hold(arena: Cluster, slot: int) -> None:
    """Have a match analysed again, which does not come to an end: the process that computes it stands still."""
    os.kill(slot, signal.SIGSTOP)
    await arena.ask(
        "UPDATE arena_work SET state = 'waiting', lent = NULL WHERE id = (SELECT min(id) FROM arena_work) RETURNING id"
    )
    await arena.until("SELECT 1 FROM arena_work WHERE state = 'out'")


def _go_on(slot: int) -> None:
    os.kill(slot, signal.SIGCONT)


def _other_rules(folder: Path) -> Path:
    """A copy of the program in which one rule's file differs."""
    folder.mkdir()
    for name in ("arena", "games"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("static", "templates", "locale", "docs"):
        if (ROOT / name).is_dir():
            (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "manage.py", folder)
    shutil.copy(ROOT / "pyproject.toml", folder)
    with (folder / "arena" / "match" / "decide.py").open("a") as file:
        file.write("# another version\n")
    return folder
