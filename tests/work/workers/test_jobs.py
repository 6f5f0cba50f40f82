"""The names under which jobs are found, and how they come to a worker whose database fails."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from arena.work.kinds import Where
from arena.work.workers.jobs import CLAIMED_S, DEFER, TASK, WITH_JOB, Jobs, queue, queues
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, environment, share_files
from tests.kit.until import until
from tests.kit.workers import PASSWORD


def test_a_machine_listens_to_what_it_may_have_and_to_nothing_else() -> None:
    mine = queues(("play",), "2b29eb57569e", "c5", 2)
    for where in (Where(), Where("c5"), Where("", 2), Where("c5", 1)):
        assert queue("play", "2b29eb57569e", where) in mine
    for kind, rules, where in (
        ("play", "2b29eb57569e", Where("c6")),
        ("play", "2b29eb57569e", Where("", 3)),
        ("play", "another", Where()),
        ("analyse", "2b29eb57569e", Where()),
    ):
        assert queue(kind, rules, where) not in mine


def test_no_name_is_longer_than_a_channel_may_be() -> None:
    longest = queue("k" * 16, "r" * 12, Where("n" * 32, 3))
    assert len(f"procrastinate_queue_v1#{longest}") < 63


@pytest.mark.long
def test_nothing_of_the_default_imports_procrastinate(tmp_path: Path) -> None:
    """Neither the server nor any command but the worker's own."""
    program = (
        "import sys, django; django.setup(); import arena.urls, arena.asgi, arena.management.commands.serve;"
        "import arena.management.commands.work, arena.management.commands.worker, arena.management.commands.doctor;"
        "print(sorted(name for name in sys.modules if name.partition('.')[0] in ('procrastinate', 'psycopg_pool')))"
    )
    share_files(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True,
        timeout=DEADLINE_S,
    )  # fmt: skip
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.service
async def test_what_has_begun_goes_on_when_every_connection_is_lost(
    tables_of_work: str, owner: psycopg.Connection
) -> None:
    """And something else is taken beside it, by connections that are new."""
    jobs = Jobs(conninfo_to_dict(tables_of_work.replace("//arena@", f"//arena_worker:{PASSWORD}@")))
    await jobs.open()
    taken, on = list[int](), asyncio.Event()

    async def take(work: int) -> None:
        taken.append(work)
        await on.wait()
        taken.append(-work)

    taking = asyncio.create_task(jobs.take(["q"], 2, take))
    _defer(owner, 1)
    await until(lambda: taken == [1])
    owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'arena_worker'")
    _defer(owner, 2)
    await until(lambda: taken == [1, 2])
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    _defer(owner, 3)
    on.set()
    await jobs.end(DEADLINE_S)
    assert sorted(taken) == [-2, -1, 1, 2], "and goes on when nothing more is taken"
    taking = asyncio.create_task(jobs.take(["q"], 2, take))
    await until(lambda: taken[-2:] == [3, -3])
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    await jobs.close()


@pytest.mark.service
async def test_a_job_that_the_host_has_removed_ends_like_any_other(
    tables_of_work: str, owner: psycopg.Connection
) -> None:
    """As after a minute in which its worker stood still."""
    errors = list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: errors.append(context))
    jobs = Jobs(conninfo_to_dict(tables_of_work.replace("//arena@", f"//arena_worker:{PASSWORD}@")))
    await jobs.open()
    taken = list[int]()

    async def take(work: int) -> None:
        taken.append(work)
        if work == 1:
            owner.execute("DELETE FROM procrastinate_jobs")
            _defer(owner, 2)

    taking = asyncio.create_task(jobs.take(["q"], 1, take))
    _defer(owner, 1)
    await until(lambda: taken == [1, 2])
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    await jobs.close()
    gc.collect()  # an error that nobody awaits is told when its task is collected
    assert errors == []


def _defer(owner: psycopg.Connection, work: int, queue_name: str = "q") -> None:
    owner.execute(DEFER, [queue_name, TASK, 0, f"arena:{work}", work])


@pytest.mark.service
def test_a_row_that_is_lent_again_has_one_job_for_the_machines_that_may_have_it_now(
    tables_of_work: str, owner: psycopg.Connection
) -> None:
    for name in ("old", "new"):
        _defer(owner, 1, name)
    assert owner.execute("SELECT queue_name, status FROM procrastinate_jobs").fetchall() == [("new", "todo")]


@pytest.mark.service
def test_a_row_whose_job_was_taken_and_never_begun_is_found(tables_of_work: str, owner: psycopg.Connection) -> None:
    """A worker that dies between the two takes the job with it, and the queue would wait for its heartbeat."""
    for work in (1, 2, 3):
        _defer(owner, work)
    owner.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE queueing_lock <> 'arena:3'")
    owner.execute(
        "UPDATE procrastinate_events SET at = now() - interval '6 seconds' WHERE type = 'started' AND job_id ="
        " (SELECT id FROM procrastinate_jobs WHERE queueing_lock = 'arena:1')"
    )
    found = owner.execute(WITH_JOB, [["arena:1", "arena:2", "arena:3", "arena:4"], CLAIMED_S]).fetchall()
    assert sorted(lock for (lock,) in found) == ["arena:2", "arena:3"]
