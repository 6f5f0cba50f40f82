"""Child processes, real ones: bots that never flush, never read, never leave, flood, crash and hide."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from arena.transports import Receiver, Transport, stdio
from arena.transports.stdio import spawn
from tests.kit.children import C_BOT, Bench, alive, child, until_dead
from tests.kit.deadline import DEADLINE_S
from tests.kit.recorder import Recorder, open_files
from tests.kit.until import until


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    yield made
    await made.clear()


# -- what goes over the wire -------------------------------------------------------------------------------------------


async def test_a_python_bot_that_never_flushes_answers(bench: Bench) -> None:
    bot = await bench.python("import sys\nfor line in sys.stdin: print(len(line))")
    bot.transport.write(b"@ ...\n")
    await bot.until_data(b"6\n")
    bot.transport.write(b"O ....\n")
    await bot.until_data(b"6\n7\n")
    assert bytes(bot.data) == b"6\n7\n"


async def test_a_c_bot_that_never_flushes_answers(bench: Bench) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "this test needs a C compiler: apt-get install gcc"
    (bench.folder / "bot.c").write_text(C_BOT)
    subprocess.run([compiler, "-o", bench.folder / "bot", bench.folder / "bot.c"], check=True)
    bot = await bench.start("./bot")
    bot.transport.write(b"@ ...\n")
    await bot.until_data(b"4\n")
    assert bytes(bot.data) == b"4\n"


@pytest.mark.parametrize("pty", [True, False])
async def test_bytes_arrive_as_they_were_written(bench: Bench, pty: bool) -> None:
    """A terminal that is not raw would echo, turn LF into CR LF, and take 0x03 and 0x04 for orders."""
    every = bytes(range(256)) * 40
    bot = await bench.python("import os\nwhile b := os.read(0, 65536):\n while b: b = b[os.write(1, b):]", pty=pty)
    bot.transport.write(every)
    await bot.until(lambda: len(bot.data) >= len(every))
    assert bytes(bot.data) == every


async def test_a_bot_that_does_not_read_is_dropped_and_blocks_nobody(bench: Bench) -> None:
    bot = await bench.python("import time; time.sleep(600)")
    written = 0
    while not bot.transport.is_closing and written < 1 << 24:
        bot.transport.write(b"x" * 10_000)
        written += 10_000
    assert "does not read" in await bot.until_lost()


async def test_what_waits_for_a_slow_reader_arrives_later(bench: Bench) -> None:
    bot = await bench.python("import sys\nsys.stdin.readline()\nprint(len(sys.stdin.readline()))")
    bot.transport.write(b"go\n" + b"x" * 100_000 + b"\n")
    await bot.until_data(b"100001\n")


async def test_a_bot_that_closed_its_stdin_may_still_speak(bench: Bench) -> None:
    bot = await bench.python("import os\nos.close(0)\nos.write(1, b'closed\\n')\nimport time; time.sleep(600)")
    await bot.until_data(b"closed\n")
    for _ in range(3):
        bot.transport.write(b"hello\n")
    assert not bot.transport.is_closing


async def test_a_bot_reads_everything_up_to_the_end_of_its_input(bench: Bench) -> None:
    bot = await bench.python("import sys, time\ntime.sleep(0.2)\nprint(len(sys.stdin.read()))")
    bot.transport.write(b"x" * 100_000)
    child(bot).end_input()
    bot.transport.write(b"too late")
    assert await bot.until_lost() == "exit code 0"
    assert bytes(bot.data) == b"100000\n"


async def test_nothing_is_read_while_paused(bench: Bench) -> None:
    bot = await bench.python("import sys\nfor line in sys.stdin:\n print(line, end='')\n print(line, file=sys.stderr)")
    bot.transport.pause_reading()
    bot.transport.write(b"hello\n")
    await until(lambda: b"hello" in child(bot).stderr_tail)
    assert not bot.data
    bot.transport.resume_reading()
    await bot.until_data(b"hello\n")


async def test_a_flood_of_output_starves_nobody(bench: Bench) -> None:
    flood = await bench.start("yes")
    await flood.until_data(b"y\n")
    quiet = await bench.python("import sys\nfor line in sys.stdin: print(line, end='')")
    for i in range(20):
        quiet.transport.write(b"%d\n" % i)
        await quiet.until_data(b"%d\n" % i)
    flood.transport.abort()
    await flood.until_lost()


# -- how it starts -----------------------------------------------------------------------------------------------------


async def test_the_environment_is_clean(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "not for bots")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LANG", "C.UTF-8")
    bot = await bench.start("env")
    await bot.until_lost()
    names = {line.split("=")[0] for line in bot.data.decode().splitlines()}
    assert names == {"PATH", "HOME", "LANG", "TZ", "LC_MESSAGES"}


async def test_a_given_environment_is_all_there_is(bench: Bench) -> None:
    bot = await bench.start("/usr/bin/env", env={"SLOT": "3"})
    await bot.until_lost()
    assert bytes(bot.data) == b"SLOT=3\n"


async def test_it_runs_in_its_folder_and_in_a_session_of_its_own(bench: Bench) -> None:
    bot = await bench.python("import os; print(os.getcwd(), os.getsid(0) == os.getpid() == os.getpgid(0))")
    await bot.until_lost()
    assert bytes(bot.data).decode() == f"{bench.folder.resolve()} True\n"


async def test_it_inherits_no_file_of_ours(bench: Bench) -> None:
    with open(os.devnull) as ours:
        os.set_inheritable(ours.fileno(), True)
        bot = await bench.python("import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))")
        await bot.until_lost()
    assert bytes(bot.data) == b"[0, 1, 2, 3]\n", "3 is the listing's own"


async def test_it_inherits_the_files_that_it_is_given(bench: Bench) -> None:
    ours = os.memfd_create("given")
    os.write(ours, b"for the bot")
    os.lseek(ours, 0, os.SEEK_SET)
    script = f"import os; print(os.read({ours}, 99).decode())"
    bot = await bench.start(sys.executable, "-c", script, pass_fds=(ours,))
    os.close(ours)
    await bot.until_lost()
    assert bytes(bot.data) == b"for the bot\n"


async def test_a_command_that_does_not_exist_is_named(bench: Bench) -> None:
    before = open_files()
    for command in ("no-such-bot", "./no-such-bot"):
        with pytest.raises(FileNotFoundError, match=f"no such command: '{command}'"):
            await bench.start(command)
    assert open_files() == before


async def test_a_file_that_is_no_program_is_named(bench: Bench) -> None:
    (bench.folder / "bot.py").write_text("print(4)")
    with pytest.raises(PermissionError, match="not executable .*: './bot.py'"):
        await bench.start("./bot.py")


async def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such folder .*gone"):
        await spawn(["true"], Recorder, cwd=tmp_path / "gone")


@pytest.fixture
def no_setpriv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine like Alpine's: no setpriv that could do it."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(programs))
    stdio._launcher.cache_clear()
    yield
    stdio._launcher.cache_clear()


async def test_without_setpriv_python_launches(bench: Bench, no_setpriv: None) -> None:
    assert stdio._launcher()[0] == sys.executable
    bot = await bench.start("env")
    assert await bot.until_lost() == "exit code 0"
    names = {line.split("=")[0] for line in bot.data.decode().splitlines()}
    assert names <= {"PATH", "HOME", "LANG", "TZ", "LC_MESSAGES"}


# -- how it ends -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("pass", "exit code 0"),
        ("raise SystemExit(7)", "exit code 7"),
        ("import os; os.kill(os.getpid(), 11)", "killed by SIGSEGV"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    ],
)
async def test_its_exit_has_words(bench: Bench, script: str, words: str) -> None:
    bot = await bench.python(script)
    assert child(bot).exit_words == "running"
    assert child(bot).exit_status is None
    assert await bot.until_lost() == words
    assert child(bot).exit_words == words
    assert bot.ended


async def test_everything_it_said_before_it_left_is_heard(bench: Bench) -> None:
    bot = await bench.python("print('x' * 100_000)")
    await bot.until_lost()
    assert bytes(bot.data) == b"x" * 100_000 + b"\n"


async def test_a_bot_that_closes_its_output_but_lives_is_an_end_of_input(bench: Bench) -> None:
    bot = await bench.python("import os, time\nos.close(1)\ntime.sleep(600)")
    await bot.until(lambda: bot.ended)
    assert bot.lost is None
    bot.transport.abort()
    assert await bot.until_lost() == "aborted"
    assert child(bot).exit_words == "killed by SIGKILL"


STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
if os.fork() == 0 and os.fork() == 0:
    os.setsid()
print(os.getpid())
time.sleep(600)
"""


@pytest.mark.parametrize("end", ["close", "abort"])
async def test_a_bot_that_forks_hides_and_ignores_sigterm_is_gone(bench: Bench, end: str) -> None:
    bot = await bench.python(STUBBORN)
    await bot.until(lambda: bot.data.count(b"\n") == 3)
    pids = [int(line) for line in bot.data.split()]
    getattr(bot.transport, end)()
    await bot.until_lost()
    await until_dead(child(bot).pid, *pids)


async def test_what_a_bot_leaves_running_is_killed_with_its_exit(bench: Bench) -> None:
    bot = await bench.python("import os, time\npid = os.fork()\nif pid: print(pid)\nelse: time.sleep(600)")
    assert await bot.until_lost() == "exit code 0"
    await until_dead(child(bot).pid, int(bot.data))


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    between = os.getpid()
    if os.fork() == 0:
        while os.getppid() == between:
            time.sleep(0.01)
        print(os.getpid())
        time.sleep(600)
    os._exit(0)
os.wait()
input()
"""


@pytest.mark.long
async def test_a_daemon_that_holds_the_output_delays_the_end_but_not_for_ever(bench: Bench) -> None:
    """It has left the session and its parents are dead: out of our reach, as the module says."""
    bot = await bench.python(DAEMON)
    await bot.until_data(b"\n")
    daemon = int(bot.data)
    try:
        bot.transport.write(b"\n")
        assert await bot.until_lost() == "exit code 0"
    finally:
        os.kill(daemon, signal.SIGKILL)


async def test_close_delivers_what_was_written(bench: Bench) -> None:
    """All of it has left us: what the bot has not read is in its pipe, which holds 64 KiB, or in its hands."""
    bot = await bench.python("import os\nwhile data := os.read(0, 4096): open('got', 'ab').write(data)")
    bot.transport.write(b"x" * 100_000)
    bot.transport.close()
    assert await bot.until_lost() == "closed"
    assert (bench.folder / "got").stat().st_size >= 100_000 - 65_536 - 4_096


async def test_close_is_bounded_when_the_bot_does_not_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.transports.process.CLOSE_S", 0.1)
    bot = await bench.python("import time; time.sleep(600)")
    bot.transport.write(b"x" * 100_000)
    bot.transport.close()
    assert await bot.until_lost() == "closed"
    assert not alive(child(bot).pid)


async def test_a_closed_bot_has_its_time_to_exit_by_itself(bench: Bench) -> None:
    bot = await bench.python(
        "import os\nwhile data := os.read(0, 4096): open('got', 'ab').write(data)\nopen('left', 'w')"
    )
    child(bot).leaving_s = DEADLINE_S
    bot.transport.write(b"x" * 100_000)
    bot.transport.close()
    assert await bot.until_lost() == "closed"
    assert (bench.folder / "got").stat().st_size == 100_000
    assert (bench.folder / "left").exists() and child(bot).exit_status == 0


async def test_a_closed_bot_is_killed_when_its_time_is_over(bench: Bench) -> None:
    bot = await bench.python("import time; time.sleep(600)")
    child(bot).leaving_s = 0.1
    bot.transport.close()
    assert await bot.until_lost() == "closed"
    assert child(bot).exit_status == -signal.SIGKILL


async def test_calls_after_the_end_do_nothing(bench: Bench) -> None:
    bot = await bench.python("pass")
    await bot.until_lost()
    bot.transport.write(b"hello")
    bot.transport.pause_reading()
    bot.transport.resume_reading()
    bot.transport.close()
    bot.transport.abort()
    assert bot.transport.is_closing
    assert bot.lost == "exit code 0"


async def test_a_receiver_that_fails_costs_its_own_bot_only(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Recorder):
        def data_received(self, data: bytes, stamp: float) -> None:
            raise RuntimeError("a fault of ours")

    def make(transport: Transport) -> Receiver:
        bench.started.append(Failing(transport))
        return bench.started[-1]

    with caplog.at_level(logging.ERROR):
        await spawn([sys.executable, "-c", "print(4)\ninput()"], make, cwd=bench.folder)
        assert await bench.started[-1].until_lost() == "aborted"
    assert "a fault of ours" in caplog.text


@pytest.mark.parametrize("pty", [True, False])
async def test_nothing_is_left_after_many_bots(bench: Bench, pty: bool) -> None:
    await (await bench.python("pass", pty=pty)).until_lost()
    before = open_files()
    for i in range(12):
        bot = await bench.python("print(4)\ninput()", pty=pty)
        bot.transport.write(b"x" * (80_000 if i % 3 == 0 else 3))
        if i % 3 == 2:
            bot.transport.write(b"\n")
        else:
            (bot.transport.close, bot.transport.abort)[i % 2]()
        await bot.until_lost()
        assert not alive(child(bot).pid)
    assert open_files() == before


async def test_bots_die_with_a_server_that_is_killed(bench: Bench) -> None:
    script = f"""
import asyncio, sys
from arena.transports.stdio import spawn
from tests.kit.recorder import Recorder

async def main():
    bot = await spawn([{sys.executable!r}, "-c", "import time; time.sleep(600)"], Recorder, cwd={str(bench.folder)!r})
    print(bot.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""
    root = Path(__file__).parents[2]
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=root, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        pid = int(await server.stdout.readline())
    assert alive(pid)
    server.kill()
    await server.wait()
    await until_dead(pid)
