"""Page workers as real processes: replaced when they die, hang or grow; meanwhile this process accepts by itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cluster import pages as pages_module
from arena.cluster.pages import Pages
from tests.kit.deadline import DEADLINE_S
from tests.kit.until import until

pytestmark = pytest.mark.service

Starts = Callable[[str], Awaitable[Pages]]


async def no_pages(scope: Any, receive: Any, send: Any) -> None:
    """Nothing is asked for here."""


class Accepting:
    """What the server was told last: whether it leaves new connections to others."""

    by_others = False

    def let(self, others: bool) -> None:
        self.by_others = others


@pytest.fixture
def accepting() -> Accepting:
    return Accepting()


@pytest.fixture
async def starts(accepting: Accepting, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Starts]:
    monkeypatch.setattr(pages_module, "FIRST_WAIT_S", 0.05)
    monkeypatch.setattr(pages_module, "END_S", DEADLINE_S)
    monkeypatch.setattr(pages_module, "LOOK_S", 0.05)
    made: list[Pages] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        async def start(does: str) -> Pages:
            command = [sys.executable, "-m", "tests.cluster.page_worker_probe", does]
            pages = Pages(1, command, no_pages, listening.fileno(), accepting.let)
            made.append(pages)
            pages.start()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pages_module.START_S):
                    while not accepting.by_others:
                        await asyncio.sleep(0.01)
            return pages

        yield start
        for pages in made:
            await pages.close()


async def test_while_one_serves_it_is_left_to_it_and_it_ends_when_it_is_told(
    starts: Starts, accepting: Accepting
) -> None:
    pages = await starts("serves")
    [worker] = pages.workers
    assert accepting.by_others and worker.serves and worker.bytes == 1 << 20
    ours, theirs = (os.getpriority(os.PRIO_PROCESS, pid) for pid in (0, worker.process.pid))
    assert theirs == min(19, ours + pages_module.GIVES_WAY)
    assert os.getsid(worker.process.pid) == worker.process.pid, "Ctrl-C in the terminal is not for it"
    await pages.close()
    assert worker.process.returncode == 0


async def test_who_dies_is_replaced_and_meanwhile_we_accept(
    starts: Starts, accepting: Accepting, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = await starts("serves")
    [first] = pages.workers
    seen: list[bool] = []
    monkeypatch.setattr(accepting, "let", seen.append)
    pages._let_others_accept = seen.append
    first.process.kill()
    await until(lambda: seen[-1:] == [True] and False in seen)
    [second] = pages.workers
    assert second.process.pid != first.process.pid and second.serves


async def test_who_hangs_is_killed_and_replaced(
    starts: Starts, accepting: Accepting, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = await starts("serves")
    [first] = pages.workers
    monkeypatch.setattr(pages_module, "QUIET_S", 0.5)
    os.kill(first.process.pid, signal.SIGSTOP)
    await until(lambda: not accepting.by_others)
    assert pages.workers == [first], "it may come to itself"
    monkeypatch.setattr(pages_module, "HUNG_S", 0.6)
    await until(lambda: first.process.returncode == -signal.SIGKILL)
    monkeypatch.undo()
    await until(lambda: accepting.by_others and first not in pages.workers)


async def test_who_could_not_be_heard_because_this_process_stood_still_is_not_hung(
    starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = await starts("serves")
    [first] = pages.workers
    with monkeypatch.context() as soon:
        soon.setattr(pages_module, "QUIET_S", 0.5)
        os.kill(first.process.pid, signal.SIGSTOP)
        await until(lambda: not first.serves)
    before = first.heard_at
    monkeypatch.setattr(pages_module, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + 60))
    await until(lambda: first.heard_at > before or first not in pages.workers)
    os.kill(first.process.pid, signal.SIGCONT)
    await until(lambda: first.serves)
    assert pages.workers == [first]


async def test_who_grows_is_told_to_end_and_replaced(starts: Starts, accepting: Accepting) -> None:
    pages = await starts("grows")
    first = pages.workers[0]
    await until(lambda: first not in pages.workers)
    assert first.process.returncode == 0


async def test_who_cannot_start_keeps_nobody_from_the_pages(
    starts: Starts, accepting: Accepting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages_module, "START_S", 0.5)
    pages = await starts("fails")
    assert not accepting.by_others
    assert not any(worker.serves for worker in pages.workers)


async def test_who_does_not_listen_is_killed_at_the_end(starts: Starts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "END_S", 0.5)
    pages = await starts("deaf")
    [worker] = pages.workers
    await pages.close()
    assert worker.process.returncode == -signal.SIGKILL


async def test_so_it_is_when_the_stop_is_given_up(starts: Starts) -> None:
    pages = await starts("deaf")
    [worker] = pages.workers
    closing = asyncio.ensure_future(pages.close())
    await until(lambda: not pages._tasks or all(task.done() for task in pages._tasks))
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    async with asyncio.timeout(DEADLINE_S):
        assert await worker.process.wait() == -signal.SIGKILL


async def test_who_has_not_begun_to_serve_is_not_waited_for(
    accepting: Accepting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages_module, "END_S", 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        starting = [sys.executable, "-c", "import time; time.sleep(3600)"]
        pages = Pages(1, starting, no_pages, listening.fileno(), accepting.let)
        pages.start()
        await until(lambda: pages.workers != [])
        [worker] = pages.workers
        async with asyncio.timeout(DEADLINE_S):
            await pages.close()
    assert worker.process.returncode == -signal.SIGKILL


async def test_it_ends_with_the_process_that_started_it() -> None:
    start = (
        "import asyncio, socket; from arena.cluster.pages import Pages\n"
        "async def main():\n"
        "    listening = socket.create_server(('127.0.0.1', 0))\n"
        f"    command = [{sys.executable!r}, '-m', 'tests.cluster.page_worker_probe', 'deaf']\n"
        "    pages = Pages(1, command, None, listening.fileno(), lambda others: None)\n"
        "    pages.start()\n"
        "    while not any(worker.serves for worker in pages.workers):\n"
        "        await asyncio.sleep(0.01)\n"
        "    print(pages.workers[0].process.pid, flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", start, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    worker = int(await parent.stdout.readline())
    os.kill(worker, signal.SIGSTOP)
    parent.kill()
    await parent.wait()
    await until(lambda: not _lives(worker))


def _lives(process: int) -> bool:
    """A zombie does not, though its number is still taken where nobody waits for it."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(") ")[2][0] not in "ZX"
    except FileNotFoundError:
        return False
