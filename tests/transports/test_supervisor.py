"""Nothing that a process has started outlives it, in whatever state `kill -9` finds the two."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest

from arena.transports import stdio
from arena.transports.process_tree import kill_all
from arena.transports.supervisor import Supervisor, end_all, guarded
from tests.kit.children import alive, until_dead
from tests.kit.deadline import DEADLINE_S
from tests.kit.recorder import Recorder

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]

# Starts the bots below and says their numbers, then does what it is told.
SERVER = """
import asyncio, os, signal, sys
from arena.transports import stdio
from tests.kit.recorder import Recorder

async def start(script):
    made = []
    def make(transport):
        made.append(Recorder(transport))
        return made[0]
    bot = await stdio.spawn([sys.executable, "-c", script], make, cwd="/")
    await made[0].until_data(b"\\n")
    print("supervisor", stdio.supervisor.pid, bot.pid, made[0].data.decode().strip(), flush=True)
    return bot, made[0]

async def main():
    await start(sys.argv[1])
    while order := await asyncio.to_thread(sys.stdin.readline):
        if order == "start\\n":
            await start(sys.argv[1])

asyncio.run(main())
"""
PLAIN = "import os, time\nprint(os.getpid())\ntime.sleep(600)"
# PDEATHSIG is not inherited.
FORKING = "import os, time\npid = os.fork()\nif pid: print(pid)\ntime.sleep(600)"
# What a change of the user does to PDEATHSIG.
FORGETFUL = "import ctypes, os, time\nctypes.CDLL(None).prctl(1, 0)\nprint(os.getpid())\ntime.sleep(600)"
GONE = "import os, time\npid = os.fork()\nif pid: print(pid), os.kill(os.getpid(), 9)\ntime.sleep(600)"


class Server:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.seen: set[int] = set()

    async def started(self) -> tuple[int, int, int]:
        """The numbers of its supervisor, of the bot, and the one that the bot said."""
        assert self.process.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            word, *pids = (await self.process.stdout.readline()).decode().split()
        assert word == "supervisor"
        supervisor, bot, said = map(int, pids)
        self.seen |= {supervisor, bot, said}
        return supervisor, bot, said

    def order(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def serving(script: str) -> AsyncIterator[Server]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVER, script), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    server = Server(process)
    try:
        yield server
    finally:
        if process.returncode is None:
            await server.kill()
        for pid in server.seen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


# -- with a real server ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", [PLAIN, FORKING, FORGETFUL], ids=["plain", "forking", "forgetful"])
async def test_nobody_outlives_a_killed_server(script: str) -> None:
    async with serving(script) as server:
        supervisor, *bot = await server.started()
        assert all(map(alive, bot))
        await server.kill()
        await until_dead(*bot, supervisor)


async def test_a_server_that_dies_before_its_supervisor_knows_of_a_bot_has_not_let_it_go(tmp_path: Path) -> None:
    script = f"""
import asyncio, os, signal
from arena.transports import stdio
from tests.kit.recorder import Recorder

def die(pid):
    print(pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

stdio.supervisor.guard = die
asyncio.run(stdio.spawn(["touch", "ran"], Recorder, cwd={str(tmp_path)!r}))
"""
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", script, cwd=ROOT, stdout=subprocess.PIPE)
    async with asyncio.timeout(DEADLINE_S):
        bot, _ = await server.communicate()
    await until_dead(int(bot))
    assert not (tmp_path / "ran").exists()


async def test_a_normal_end_leaves_no_supervisor() -> None:
    async with serving(PLAIN) as server:
        supervisor, *bot = await server.started()
        assert alive(supervisor)
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert await server.process.wait() == 0
        assert not any(map(alive, (*bot, supervisor)))


async def test_who_has_ended_is_not_guarded_any_more(tmp_path: Path) -> None:
    """Its number may be somebody else's by the time of our end."""
    bot = await stdio.spawn(["cat"], Recorder, cwd=tmp_path)
    assert bot.pid in stdio.supervisor._guarded
    bot.abort()
    assert isinstance(bot._receiver, Recorder)
    await bot._receiver.until_lost()
    assert bot.pid not in stdio.supervisor._guarded


async def test_a_supervisor_ends_with_its_server_only() -> None:
    async with serving(FORKING) as server:
        supervisor, *bot = await server.started()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            await until_ignored(supervisor, number)
            os.kill(supervisor, number)
        server.order(b"start\n")
        assert (await server.started())[0] == supervisor
        await server.kill()
        await until_dead(*bot, supervisor)


async def test_a_supervisor_that_was_killed_is_replaced_and_guards_those_who_live() -> None:
    async with serving(FORKING) as server:
        supervisor, *first = await server.started()
        os.kill(supervisor, signal.SIGKILL)
        await until_dead(supervisor)
        server.order(b"start\n")
        next_supervisor, *second = await server.started()
        assert next_supervisor != supervisor
        await server.kill()
        await until_dead(*first, *second, next_supervisor)


async def until_ignored(pid: int, number: int) -> None:
    """/proc says it, as a mask: it is still starting."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            mask = next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn"))
            if mask >> (number - 1) & 1:
                return
            await asyncio.sleep(0.01)


# -- by itself ---------------------------------------------------------------------------------------------------------


@contextmanager
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        try:
            yield process
        finally:
            kill_all(process.pid)


@pytest.fixture
def leader() -> Iterator[subprocess.Popen[bytes]]:
    with sleeper() as process:
        yield process


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    made = Supervisor()
    yield made
    made.close()


def test_who_was_released_is_not_guarded() -> None:
    assert guarded([b"+12\n", b"+13\n", b"+14\n", b"-13\n", b"-15\n"]) == {12, 14}


async def test_a_session_whose_leader_is_dead_and_reaped_is_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", GONE], stdout=subprocess.PIPE, start_new_session=True) as leader:
        assert leader.stdout is not None
        orphan = int(leader.stdout.readline())
        assert leader.wait(DEADLINE_S) == -signal.SIGKILL
        assert alive(orphan)
        try:
            end_all({leader.pid})
            await until_dead(orphan)
        finally:
            kill_all(leader.pid)


async def test_who_is_not_guarded_any_more_goes_on(supervisor: Supervisor, leader: subprocess.Popen[bytes]) -> None:
    with sleeper() as other:
        supervisor.guard(leader.pid)
        supervisor.guard(other.pid)
        supervisor.release(leader.pid)
        supervisor.close()
        assert other.wait(DEADLINE_S) == -signal.SIGKILL
    assert leader.poll() is None


def test_a_supervisor_that_stands_still_is_replaced(
    supervisor: Supervisor, leader: subprocess.Popen[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    """It must be dead before its input ends, or it would kill everybody when it goes on."""
    supervisor.guard(leader.pid)
    first = supervisor.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    with caplog.at_level(logging.WARNING):
        while supervisor.pid == first:
            supervisor.guard(leader.pid)
    assert caplog.text.count("starting another") == 1
    assert not alive(first)
    assert leader.poll() is None
    supervisor.close()
    assert leader.wait(DEADLINE_S) == -signal.SIGKILL


def test_a_supervisor_that_stands_still_holds_up_no_end(
    supervisor: Supervisor, leader: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor.guard(leader.pid)
    first = supervisor.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    monkeypatch.setattr("arena.transports.supervisor.PATIENCE_S", 0.0)
    supervisor.close()
    assert not alive(first)


def test_without_a_process_for_it_nothing_fails(
    leader: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/no-such-python")
    supervisor = Supervisor()
    with caplog.at_level(logging.WARNING):
        supervisor.guard(leader.pid)
    assert supervisor.pid is None
    assert "no supervisor" in caplog.text
    monkeypatch.undo()
    supervisor.release(leader.pid)
    assert supervisor.pid is not None
    supervisor.close()
    assert leader.poll() is None
