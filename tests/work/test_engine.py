"""Real processes: what they compute, how one dies, and that they stand still."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arena.work.engine import LocalEngine, RunFailed, RunLost
from tests.kit.deadline import DEADLINE_S
from tests.kit.until import until
from tests.kit.workers import children

pytestmark = pytest.mark.long


def add(numbers: list[int]) -> int:
    return sum(numbers)


def fail(job: object) -> None:
    raise ValueError(f"{job} is no job")


def process(job: object) -> list[int]:
    return [os.getpid(), os.getpriority(os.PRIO_PROCESS, 0)]


def processors(job: object) -> list[int]:
    return sorted(os.sched_getaffinity(0))


def wait(folder: str) -> str:
    (Path(folder) / "begun").touch()
    while not (Path(folder) / "end").exists():
        os.sched_yield()
    return "waited"


HERE = "tests.work.test_engine"


@pytest.fixture
async def engine() -> AsyncIterator[LocalEngine]:
    made = LocalEngine(1, nice=0)
    yield made
    await made.close()


async def begun(folder: Path) -> None:
    await until(lambda: (folder / "begun").exists())


async def test_a_function_is_run_in_a_process_that_is_in_nobody_s_way(engine: LocalEngine) -> None:
    assert await engine.run(0, f"{HERE}:add", [1, 2]) == 3
    other, _ = await engine.run(0, f"{HERE}:process", None)
    assert other != os.getpid()
    with pytest.raises(RunFailed, match="ValueError: x is no job"):
        await engine.run(0, f"{HERE}:fail", "x")


async def test_a_process_that_is_killed_loses_its_run_and_no_other(engine: LocalEngine, tmp_path: Path) -> None:
    other, _ = await engine.run(0, f"{HERE}:process", None)
    running = asyncio.create_task(engine.run(0, f"{HERE}:wait", str(tmp_path)))
    await begun(tmp_path)
    os.kill(other, signal.SIGKILL)
    with pytest.raises(RunLost, match="its process died"):
        await running
    assert await engine.run(0, f"{HERE}:add", [3]) == 3


async def test_a_run_that_is_cancelled_ends_its_process(engine: LocalEngine, tmp_path: Path) -> None:
    other, _ = await engine.run(0, f"{HERE}:process", None)
    running = asyncio.create_task(engine.run(0, f"{HERE}:wait", str(tmp_path)))
    await begun(tmp_path)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: _state(other) in "ZX")


async def test_it_stands_still_until_it_may_go_on(engine: LocalEngine, tmp_path: Path) -> None:
    other, _ = await engine.run(0, f"{HERE}:process", None)
    running = asyncio.create_task(engine.run(0, f"{HERE}:wait", str(tmp_path)))
    await begun(tmp_path)
    engine.stand_still()
    await until(lambda: _state(other) == "T")
    (tmp_path / "end").touch()
    assert not running.done()
    engine.go_on()
    async with asyncio.timeout(DEADLINE_S):
        assert await running == "waited"


def host() -> None:
    """Asks for a run, and wants it to stand still as soon as its process is there."""

    async def asks() -> None:
        made = LocalEngine(1, nice=0)
        running = asyncio.create_task(made.run(0, f"{HERE}:process", None))
        await until(lambda: children(os.getpid()))
        made.stand_still()
        (slot,) = children(os.getpid())
        print(slot, flush=True)
        await running

    asyncio.run(asks())


async def test_one_that_stands_still_from_its_first_moment_ends_with_a_host_that_is_killed() -> None:
    """Only a process that runs can ask to end with another."""
    command = [sys.executable, "-c", f"import {HERE} as here; here.host()"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None, "it is a pipe"
        slot = int(await asyncio.to_thread(running.stdout.readline))
        try:
            await until(lambda: _state(slot) == "T")
        finally:
            running.kill()
    await until(lambda: _state(slot) in "ZX")


def _state(process: int) -> str:
    """`R`, `S`, `T` for stopped, `Z` for ended, `X` for gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "X"


async def test_slots_keep_to_processors_of_their_own_where_all_are_lent() -> None:
    """Where fewer are, others choose as well, and nobody knows which."""
    ours = sorted(os.sched_getaffinity(0))
    for slots, pinned, expected in (
        (len(ours), True, ours[-1:]),
        (len(ours), False, ours),
        (len(ours) + 1, True, ours),
    ):
        engine = LocalEngine(slots, nice=0, pinned=pinned)
        assert await engine.run(len(ours) - 1, f"{HERE}:processors", None) == expected
        await engine.close()
