"""The pool of thinking processes: what it answers, and that no process of it outlives us."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

import games
from arena.analysis.provers import Provers
from arena.bots.builtin.thinkers import Thinkers, ThinkersBusy, ThinkersClosed, WorkerDied
from tests.kit.deadline import DEADLINE_S
from tests.kit.positions import played
from tests.kit.until import until

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
CONNECT_FOUR = "connect-four-7x6"
START = str(games.variant(CONNECT_FOUR).start())
WIN_IN_ONE = str(games.variant(CONNECT_FOUR).start().play("1").play("7").play("1").play("7").play("1").play("6"))
# A position nobody solves: `best` thinks as long as it may.
HARD = ("connect-four-8x8", str(games.variant("connect-four-8x8").start()), "best", 1)

# Thinks on two workers, says so, and goes on for minutes.
PARENT = f"""
import asyncio
from arena.bots.builtin.thinkers import Thinkers
async def main():
    thinkers = Thinkers(workers=2)
    await asyncio.gather(*(thinkers.think(*{HARD!r}, 0.1) for _ in range(2)))
    print("thinking", flush=True)
    await asyncio.gather(*(thinkers.think(*{HARD!r}, 600) for _ in range(2)))
if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest_asyncio.fixture
async def thinkers() -> AsyncIterator[Thinkers]:
    thinkers = Thinkers()
    yield thinkers
    async with asyncio.timeout(DEADLINE_S):
        await thinkers.close()


def stat(pid: int) -> list[str]:
    """State, parent and so on of /proc/PID/stat; the name before them may contain anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["gone", "0"]


def is_alive(pid: int) -> bool:
    return stat(pid)[0] not in ("gone", "Z", "X")


def workers_of(parent: int) -> set[int]:
    pids = {int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()}
    return {pid for pid in pids if stat(pid)[1] == str(parent) and is_alive(pid) and is_worker(pid)}


def is_worker(pid: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_it_answers_with_a_move_of_the_level(thinkers: Thinkers) -> None:
    assert await thinkers.think(CONNECT_FOUR, WIN_IN_ONE, "casual", seed=1, budget_s=1) == "1"


async def test_a_worker_is_given_what_it_proves_moves_with() -> None:
    thinkers = Thinkers(prover=Provers)
    try:
        only_the_sixth_column_draws = str(played(games.variant(CONNECT_FOUR).start(), "6527653"))
        move = await thinkers.think(CONNECT_FOUR, only_the_sixth_column_draws, "best", seed=1, budget_s=0)
        assert move == "6"  # found without time: it is in the book
    finally:
        await thinkers.close()


async def test_the_same_seed_gives_the_same_move(thinkers: Thinkers) -> None:
    moves = [await thinkers.think(CONNECT_FOUR, START, "random", seed=seed, budget_s=1) for seed in (*range(8), 0)]
    assert moves[0] == moves[-1]
    assert len(set(moves)) > 1


async def test_what_is_wrong_with_a_question_comes_back_to_who_asked(thinkers: Thinkers) -> None:
    with pytest.raises(KeyError, match="unknown variant 'chess'"):
        await thinkers.think("chess", START, "casual", 1, 1)
    with pytest.raises(ValueError, match="rubbish"):
        await thinkers.think(CONNECT_FOUR, "rubbish", "casual", 1, 1)
    with pytest.raises(ValueError, match="unknown level 'god'; known: random, beginner"):
        await thinkers.think(CONNECT_FOUR, START, "god", 1, 1)
    assert await thinkers.think(CONNECT_FOUR, WIN_IN_ONE, "best", 1, 1) == "1"


async def test_one_thought_too_many_is_refused_and_the_others_are_not() -> None:
    thinkers = Thinkers(most_waiting=2)
    asked = [thinkers.think(CONNECT_FOUR, START, "casual", seed, 1) for seed in range(3)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(answer) for answer in answers] == [str, str, ThinkersBusy]
    assert await thinkers.think(CONNECT_FOUR, WIN_IN_ONE, "casual", 1, 1) == "1"
    await thinkers.close()


@pytest.mark.long
async def test_a_thought_survives_the_death_of_its_worker(thinkers: Thinkers) -> None:
    before = workers_of(os.getpid())
    thought = asyncio.create_task(thinkers.think(*HARD, budget_s=2))
    await until(lambda: workers_of(os.getpid()) - before)
    os.kill((workers_of(os.getpid()) - before).pop(), signal.SIGKILL)
    async with asyncio.timeout(DEADLINE_S):
        assert await thought in map(str, range(1, 9))


async def test_a_thought_that_kills_every_worker_fails_and_the_next_one_does_not(thinkers: Thinkers) -> None:
    before = workers_of(os.getpid())
    thought = asyncio.create_task(thinkers.think(*HARD, budget_s=60))

    def kill_them() -> bool:
        for pid in workers_of(os.getpid()) - before:
            with suppress(ProcessLookupError):  # it is dying of the last time
                os.kill(pid, signal.SIGKILL)
        return thought.done()

    await until(kill_them)
    with pytest.raises(WorkerDied, match="connect-four-8x8"):
        await thought
    assert await thinkers.think(CONNECT_FOUR, WIN_IN_ONE, "casual", 1, 1) == "1"


async def test_closing_ends_the_workers_and_answers_who_still_waits() -> None:
    before = workers_of(os.getpid())
    thinkers = Thinkers()
    thoughts = [asyncio.create_task(thinkers.think(*HARD, budget_s=0.5)) for _ in range(8)]
    await until(lambda: workers_of(os.getpid()) - before)
    workers = workers_of(os.getpid()) - before
    async with asyncio.timeout(DEADLINE_S):
        await thinkers.close()
        await thinkers.close()
        answers = await asyncio.gather(*thoughts, return_exceptions=True)
    assert not any(map(is_alive, workers))
    assert {type(answer) for answer in answers} <= {str, ThinkersClosed}
    assert isinstance(answers[-1], ThinkersClosed)
    with pytest.raises(ThinkersClosed, match="closed"):
        await thinkers.think(CONNECT_FOUR, START, "casual", 1, 1)


async def test_closing_kills_a_worker_that_does_not_end() -> None:
    before = workers_of(os.getpid())
    thinkers = Thinkers(patience_s=0.1)
    thought = asyncio.create_task(thinkers.think(*HARD, budget_s=600))
    await until(lambda: workers_of(os.getpid()) - before)
    worker = (workers_of(os.getpid()) - before).pop()
    async with asyncio.timeout(DEADLINE_S):
        await thinkers.close()
        with pytest.raises(ThinkersClosed):
            await thought
    assert not is_alive(worker)


async def test_closing_kills_such_a_worker_also_when_it_is_given_up() -> None:
    before = workers_of(os.getpid())
    thinkers = Thinkers(patience_s=DEADLINE_S)
    thought = asyncio.create_task(thinkers.think(*HARD, budget_s=600))
    await until(lambda: workers_of(os.getpid()) - before)
    worker = (workers_of(os.getpid()) - before).pop()
    closing = asyncio.create_task(thinkers.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await until(lambda: not is_alive(worker))
    with pytest.raises(ThinkersClosed):
        await thought


async def test_who_is_cancelled_while_thinking_is_cancelled_and_makes_room() -> None:
    thinkers = Thinkers(most_waiting=1)
    thought = asyncio.create_task(thinkers.think(*HARD, budget_s=0.2))
    await asyncio.sleep(0)
    thought.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thought
    assert await thinkers.think(CONNECT_FOUR, WIN_IN_ONE, "casual", 1, 1) == "1"
    await thinkers.close()


async def test_workers_die_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    parent = await asyncio.create_subprocess_exec(
        sys.executable, str(script), stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert parent.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        assert await parent.stdout.readline() == b"thinking\n"
    workers = workers_of(parent.pid)
    assert len(workers) == 2
    await until(lambda: all(stat(pid)[0] == "R" for pid in workers))
    parent.kill()
    await until(lambda: not any(map(is_alive, workers)))
    async with asyncio.timeout(DEADLINE_S):
        await parent.communicate()


def test_a_worker_needs_no_django() -> None:
    code = "import sys, arena.bots.builtin.thinkers; print('django' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
