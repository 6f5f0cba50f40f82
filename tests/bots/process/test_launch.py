"""Bots at every level: they play, see only what they may, stay within their limits, and leave nothing behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arena.bots.process import cgroups
from arena.bots.process.death import why_it_died
from arena.bots.process.launch import CONFIGURATION, MIB, BotLimits, SandboxLevel, Unreachable, runtime, wrap
from tests.bots.sandboxed import LEVELS, NAMESPACES, SANDBOXES, Box, box, groups_left, processes, until_nobody
from tests.kit.children import C_BOT, child
from tests.kit.deadline import DEADLINE_S
from tests.kit.recorder import open_files
from tests.kit.until import until

pytestmark = pytest.mark.service
ROOT = os.getuid() == 0


@pytest.fixture
async def bots() -> AsyncIterator[Box]:
    async with box() as made:
        yield made


# -- they play ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
async def test_a_python_bot_that_never_flushes_answers(bots: Box, level: SandboxLevel) -> None:
    (bots.folder / "bot.py").write_text("import sys\nfor line in sys.stdin: print(len(line))")
    bot = await bots.start("python3", "bot.py", level=level)
    bot.transport.write(b"@ ...\n")
    await bot.until_data(b"6\n")
    bot.transport.write(b"O ....\n")
    await bot.until_data(b"6\n7\n")
    assert bytes(bot.data) == b"6\n7\n"


@pytest.mark.parametrize("level", LEVELS)
async def test_a_c_bot_that_never_flushes_answers(bots: Box, level: SandboxLevel) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "this test needs a C compiler: apt-get install gcc"
    (bots.folder / "bot.c").write_text(C_BOT)
    subprocess.run([compiler, "-o", bots.folder / "bot", bots.folder / "bot.c"], check=True)
    bot = await bots.start("./bot", level=level)
    bot.transport.write(b"@ ...\n")
    await bot.until_data(b"4\n")
    assert bytes(bot.data) == b"4\n"


@pytest.mark.parametrize("level", LEVELS)
async def test_how_a_bot_ends_is_known_outside(bots: Box, level: SandboxLevel) -> None:
    for script, words in (("raise SystemExit(7)", "exit code 7"), ("import os; os.abort()", "killed by SIGABRT")):
        bot = await bots.python(script, level=level)
        await bot.until_lost()
        status = child(bot).exit_status
        assert status is not None
        assert why_it_died(status, bots.launch_of(bot).events(), child(bot).stderr_tail) == ("crash", words)


# -- what they see -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
async def test_the_environment_is_clean(bots: Box, level: SandboxLevel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "not for bots")
    bot = await bots.start("env", level=level)
    await bot.until_lost()
    names = {line.split("=")[0] for line in bot.data.decode().splitlines()}
    assert names - {"PWD"} == {"PATH", "HOME", "LANG"}, "PWD is bubblewrap's own word for the folder"


async def test_whoever_waits_in_a_thread_starts_it_as_the_leader_of_a_group(bots: Box) -> None:
    launch = wrap(("sh", "-c", "read line; env"), level=SandboxLevel.L0, bot_folder=bots.folder, limits=BotLimits())
    pipe = subprocess.PIPE
    with launch.popen(bots.folder, pipe, pipe, pipe) as process:
        assert os.getpgid(process.pid) == process.pid
        said, _ = process.communicate(b"\n")
    launch.release_now()
    assert {line.split("=")[0] for line in said.decode().splitlines()} - {"PWD"} == {"PATH", "HOME", "LANG"}


@pytest.mark.parametrize("level", NAMESPACES)
async def test_no_process_in_sight_has_the_server_s_environment(
    bots: Box, level: SandboxLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bubblewrap keeps the environment that it was started with, and the bot can read it."""
    monkeypatch.setenv("SECRET_KEY", "not for bots")
    bot = await bots.start("sh", "-c", "cat /proc/[0-9]*/environ | tr '\\0' '\\n'", level=level)
    await bot.until_lost()
    assert b"PATH=" in bot.data
    assert b"not for bots" not in bot.data


@pytest.mark.parametrize("level", NAMESPACES)
async def test_the_first_process_of_its_namespace_is_out_of_reach(bots: Box, level: SandboxLevel) -> None:
    """It is bubblewrap's and has no limits: whoever writes into its memory may start any number of processes."""
    bot = await bots.start("sh", "-c", "(exec 3<> /proc/1/mem) 2> /dev/null && echo reached || echo held", level=level)
    await bot.until_lost()
    assert bot.data.split() == [b"held"]


@pytest.mark.parametrize("level", NAMESPACES)
async def test_there_is_nothing_but_the_system_and_the_bot_s_own_folder(bots: Box, level: SandboxLevel) -> None:
    (bots.folder / "openings.txt").touch()
    bot = await bots.start("sh", "-c", "ls -d /*/* | grep -v '^/proc'; ls", level=level)
    await bot.until_lost()
    seen = bot.data.decode().split()
    assert "openings.txt" in seen
    folders = {str(Path(path).parent) for path in seen if path.startswith("/") and not path.startswith("/etc/")}
    assert folders <= {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/dev", "/bot"}
    configuration = {str(path) for pattern in CONFIGURATION for path in Path("/").glob(pattern.lstrip("/"))}
    assert {path for path in seen if path.startswith("/etc/")} <= configuration | {"/etc/ssl"}


@pytest.mark.parametrize("level", SANDBOXES)
async def test_its_folder_cannot_be_written(bots: Box, level: SandboxLevel) -> None:
    bots.folder.chmod(0o777)
    bot = await bots.start("sh", "-c", "touch here || echo no", level=level)
    await bot.until_lost()
    assert b"no\n" in bot.data
    assert list(bots.folder.iterdir()) == []


@pytest.mark.parametrize("level", NAMESPACES)
async def test_it_has_a_small_folder_of_its_own_to_write_in(bots: Box, level: SandboxLevel) -> None:
    script = "cd /tmp; for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > $n; done; cat * | wc -c"
    bot = await bots.start("sh", "-c", script, level=level)
    await bot.until_lost()
    assert 3_000_000 <= int(bot.data) <= 4 * MIB


@pytest.mark.parametrize("level", LEVELS)
async def test_it_inherits_no_file_of_ours(bots: Box, level: SandboxLevel) -> None:
    script = (
        "import fcntl\nfor fd in range(64):\n try: fcntl.fcntl(fd, fcntl.F_GETFD); print(fd)\n except OSError: pass"
    )
    with open(os.devnull) as ours:
        os.set_inheritable(ours.fileno(), True)
        bot = await bots.python(script, level=level)
        await bot.until_lost()
    assert bot.data.split() == [b"0", b"1", b"2"]


@pytest.mark.parametrize("level", LEVELS)
async def test_two_bots_are_two_users_where_the_server_is_root(bots: Box, level: SandboxLevel) -> None:
    users = []
    for _ in range(2):
        bot = await bots.python("import os; print(os.getuid()); input()", level=level)
        await bot.until_data(b"\n")
        users.append(int(bot.data))
    assert len(set(users)) == 2 if ROOT else set(users) == {os.getuid()}
    assert 0 not in users


# -- what they may use -------------------------------------------------------------------------------------------------


@pytest.mark.cases(1)  # a second of processor each; test_sandbox.py has the level of this machine
@pytest.mark.parametrize("level", SANDBOXES)
async def test_a_bot_that_computes_for_ever_is_stopped(bots: Box, level: SandboxLevel) -> None:
    bot = await bots.python("while True: pass", level=level, limits=BotLimits(cpu_s=1))
    await bot.until_lost()
    assert why_it_died(child(bot).exit_status or 0, bots.launch_of(bot).events(), b"") == ("resource_limit", "cpu")


@pytest.mark.parametrize("level", SANDBOXES)
async def test_a_bot_that_takes_all_memory_is_stopped(bots: Box, level: SandboxLevel) -> None:
    bot = await bots.python("kept = []\nwhile True: kept.append(b'x' * (1 << 24))", level=level)
    await bot.until_lost()
    death = why_it_died(child(bot).exit_status or 0, bots.launch_of(bot).events(), child(bot).stderr_tail)
    assert death == ("resource_limit", "memory")


@pytest.mark.parametrize("level", NAMESPACES)
async def test_a_control_group_bounds_the_memory_of_all_helpers_together(bots: Box, level: SandboxLevel) -> None:
    """None of the eight takes more than it may; below L3 only their number bounds the sum."""
    script = "import os\nfor _ in range(3): os.fork()\nkept = b'x' * (1 << 25)\nprint(4)\ninput()"
    bot = await bots.python(script, level=level, limits=BotLimits(memory=96 * MIB))
    if level == SandboxLevel.L3:
        await until(lambda: bots.launch_of(bot).events().killed_for_memory)
    else:
        await bot.until(lambda: bot.data.count(b"4\n") == 8)


@pytest.mark.parametrize(
    ("argv", "script", "mib"),
    [
        (["python3", "node_bot.py"], "", 512),
        (["node", "bot.js"], "", 2048),
        (["/usr/bin/nodejs", "bot.js"], "", 2048),
        (["java", "-jar", "bot.jar"], "", 2048),
        (["env", "node", "bot.js"], "", 2048),
        (["./bot"], "#!/usr/bin/env node\nconsole.log(4)\n", 2048),
        (["./bot"], "#!/usr/bin/python3\nprint(4)\n", 512),
    ],
)
def test_each_language_has_the_addresses_it_needs(tmp_path: Path, argv: list[str], script: str, mib: int) -> None:
    (tmp_path / "bot").write_text(script)
    assert runtime(argv, tmp_path).address_space == mib * MIB


def test_java_is_told_to_reserve_less(tmp_path: Path) -> None:
    assert "-Xmx" in runtime(["java", "Bot"], tmp_path).env["JDK_JAVA_OPTIONS"]


# -- they leave nothing ------------------------------------------------------------------------------------------------

DAEMON = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    try: os.setsid()
    except OSError: pass
    between = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == between:
        time.sleep(0.01)
    print("left", flush=True)
    time.sleep(600)
os.wait()
if input() == "stay":
    time.sleep(600)
"""


@pytest.mark.parametrize("level", SANDBOXES)
@pytest.mark.parametrize("end", ["exit", "kill"])
async def test_daemons_die_with_their_bot(bots: Box, level: SandboxLevel, end: str) -> None:
    marker = f"{bots.folder.name}-{end}"
    bot = await bots.python(DAEMON, marker, level=level)
    await bot.until_data(b"left\n")
    bot.transport.write(b"stay\n" if end == "kill" else b"go\n")
    if end == "kill":
        bot.transport.abort()
    await bot.until_lost()
    await until_nobody(marker)


@pytest.mark.parametrize("level", NAMESPACES)
async def test_who_holds_a_namespace_stays_in_the_session_that_was_made_for_it(bots: Box, level: SandboxLevel) -> None:
    """By that it is found when its parent is dead. The bot is not in it, so it cannot signal who is."""
    marker = f"{bots.folder.name}-session"
    bot = await bots.python("import os, time\nprint(os.getsid(0))\ntime.sleep(600)", marker, level=level)
    await bot.until_data(b"\n")
    assert int(bot.data) != 0, "a session of the world outside has no number inside"
    ours = [os.getsid(pid) == child(bot).pid for pid in processes(marker)]
    assert sorted(ours) == [False, True, True], "the bot; the first process of its namespace, and bubblewrap outside"


@pytest.mark.parametrize("level", SANDBOXES)
async def test_bots_die_with_a_server_that_is_killed(bots: Box, level: SandboxLevel) -> None:
    marker = f"600.{os.getpid()}"  # other tests sleep as well
    script = f"""
import asyncio
from pathlib import Path
from arena.bots.process.launch import SandboxLevel, wrap
from arena.transports.stdio import spawn
from tests.kit.children import C_BOT, child
from tests.kit.recorder import Recorder

async def main():
    folder = Path({str(bots.folder)!r})
    launch = wrap(["sleep", {marker!r}], level=SandboxLevel({int(level)}), bot_folder=folder)
    await spawn(launch.argv, Recorder, cwd=folder, env=launch.env, pass_fds=launch.pass_fds)
    print("started", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=Path(__file__).parents[3], stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        await server.stdout.readline()
        while not (bots_of_it := set(processes(marker))):
            await asyncio.sleep(0.01)
        server.kill()
        await server.wait()
        while bots_of_it & set(processes(marker)):
            await asyncio.sleep(0.01)
        if level == SandboxLevel.L3:
            while groups_left(server.pid):
                cgroups.find()


@pytest.mark.parametrize("level", LEVELS)
async def test_nothing_is_left_after_many_bots(bots: Box, level: SandboxLevel) -> None:
    await bots.python("pass", level=level)  # the supervisor starts with the first, and stays
    await bots.clear()
    for _ in range(2):
        before = open_files()
        async with box() as many:
            for i in range(6):
                bot = await many.python("print(4)\ninput()", level=level)
                if i % 2:
                    await bot.until_data(b"4\n")
        assert open_files() == before
        assert groups_left() == []
        assert not many.folder.exists()


# -- what cannot be started --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["no-such-bot", "./no-such-bot", "/etc/hostname", "../bot"])
async def test_a_program_that_the_sandbox_does_not_show_is_named(bots: Box, name: str) -> None:
    with pytest.raises(Unreachable, match="no such program in the sandbox") as error:
        wrap([name], level=SandboxLevel.L2, bot_folder=bots.folder)
    assert error.value.filename == name


async def test_a_program_that_may_not_be_run_is_said_to_be_there(bots: Box) -> None:
    (bots.folder / "bot").write_text("#!/bin/sh\n")
    with pytest.raises(Unreachable, match="not executable"):
        wrap(["./bot"], level=SandboxLevel.L2, bot_folder=bots.folder)


async def test_a_script_whose_interpreter_cannot_be_found_is_not_started(bots: Box) -> None:
    program = bots.folder / "bot"
    program.write_bytes(b"#!/bin/sh\r\necho 4\r\n")
    program.chmod(0o755)
    with pytest.raises(Unreachable, match="the byte 0x0d, a carriage return, ends its first line"):
        wrap(["./bot"], level=SandboxLevel.L2, bot_folder=bots.folder)


async def test_a_script_whose_interpreter_the_sandbox_does_not_show_is_not_started(bots: Box) -> None:
    (bots.folder / "elsewhere").mkdir()
    python = bots.folder / "elsewhere" / "python"
    python.symlink_to("/usr/bin/python3")
    program = bots.folder / "bot"
    program.write_text(f"#!{python} -u\n")
    program.chmod(0o755)
    with pytest.raises(Unreachable, match=f"its first line names {python}: no such program in the sandbox") as error:
        wrap(["./bot"], level=SandboxLevel.L2, bot_folder=bots.folder)
    assert error.value.filename == "./bot"


async def test_a_program_in_the_folder_is_named_as_seen_from_there(bots: Box) -> None:
    program = bots.folder / "bot"
    program.write_text("#!/bin/sh\necho 4\n")
    program.chmod(0o755)
    with pytest.raises(Unreachable):
        wrap([str(program)], level=SandboxLevel.L2, bot_folder=bots.folder)
    bot = await bots.start("./bot", level=SandboxLevel.L2)
    await bot.until_data(b"4\n")


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="no such folder .*gone"):
        wrap(["true"], level=SandboxLevel.L2, bot_folder=tmp_path / "gone")


async def test_a_folder_that_bots_cannot_enter_is_named_with_what_to_do(bots: Box) -> None:
    """Only as root they are other users than the server."""
    inner = bots.folder / "private" / "bot"
    inner.mkdir(parents=True)
    inner.parent.chmod(0o700)
    if ROOT:
        with pytest.raises(Unreachable, match=rf"chmod o\+x\): '{inner.parent}'"):
            wrap(["true"], level=SandboxLevel.L2, bot_folder=inner)
    else:
        bots.folder = inner
        assert await (await bots.start("true", level=SandboxLevel.L2)).until_lost() == "exit code 0"


async def test_a_missing_program_of_ours_is_named_with_its_package(bots: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(bots.folder))
    for name in ("env", "setpriv"):
        (bots.folder / name).symlink_to(shutil.which(name, path="/usr/bin") or name)
    before = open_files()
    with pytest.raises(FileNotFoundError, match="package bubblewrap"):
        wrap(["true"], level=SandboxLevel.L2, bot_folder=bots.folder)
    assert open_files() == before
