"""`manage.py match`: what it loads, and what is left of it. What it plays and prints is told in test_match.py."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.commands import ROOT, environment, finished, processes_of, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import migrate
from tests.kit.until import until

pytestmark = pytest.mark.long

# Plays the first column that is free.
ANSWERS = "for line in open(0): print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == '.'))"


# Leaves a child that has its own session, and one that has lost its parent; then thinks forever.
LEAVES = """
import os, time
os.fork() or os.setsid() or time.sleep(3600)
os.fork() or os.fork() and os._exit(0) or time.sleep(3600)
time.sleep(3600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("options", [[], ["--rounds", "2", "--concurrency", "2"]])
async def test_however_it_is_ended_nothing_is_left(number: int, options: list[str], tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(LEAVES)
    seat = f"fiar:{sys.executable} bot.py"
    run = await start(tmp_path, "match", "connect-four-7x6", seat, seat, "--clock", "1h", *options)
    expected = 4 if options else 2
    await until(lambda: sum(_sleeps(line) for line in processes_of(tmp_path)) == 3 * expected)
    run.send_signal(number)
    await finished(run)
    await until(lambda: not processes_of(tmp_path))  # who was killed leaves that to another process


async def test_a_closed_terminal_loses_no_match_that_was_over(tmp_path: Path) -> None:
    """What has ended is stored, as after SIGTERM."""
    migrate(tmp_path)
    random = "builtin:random"
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # inherited; `nohup` has it ignored
    try:
        run = await start(tmp_path, "match", "connect-four-7x6", random, random, "--save", "--rounds", "100000")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert run.stdout is not None
    said = b""
    async with asyncio.timeout(DEADLINE_S):
        while said.count(b"Finished") < 50:
            said += await run.stdout.readline()
    run.send_signal(signal.SIGHUP)
    status, rest, _ = await finished(run)
    with closing(sqlite3.connect(tmp_path / "arena.sqlite3")) as database:
        ((stored,),) = database.execute("SELECT count(*) FROM arena_match WHERE ended IS NOT NULL")
    assert status == 128 + signal.SIGHUP and stored >= said.count(b"Finished") + rest.count("Finished")


def _sleeps(line: str) -> bool:
    return line.endswith("bot.py ")


@pytest.mark.parametrize("options", [[], ["--rounds", "2", "--concurrency", "2"]])
def test_nothing_is_loaded_that_a_match_of_two_programs_does_not_need(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(ANSWERS)
    seat = f"fiar:{sys.executable} bot.py"
    kept_out = {"django", "asyncio", "channels", "random", "logging", "shutil", "pathlib", "urllib", "inspect"}
    if not options:  # what a pool of processes takes as well
        kept_out |= {"typing", "json", "signal", "dataclasses", "contextlib", "arena.protocols.droidcon.adapter"}
    if sys.version_info >= (3, 14):
        kept_out -= {"dataclasses", "inspect"}  # argparse has them for its colours
    code = (
        "import sys\nfrom arena.management.matches import main\n"
        f"status = main(['connect-four-7x6', {seat!r}, {seat!r}, *{options!r}])\n"
        f"print(sorted({kept_out!r} & set(sys.modules)), status)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(tmp_path) | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert run.stdout.splitlines()[-1] == "[] 0", run.stderr


def test_where_the_machine_has_no_files_left_no_bot_is_to_blame(tmp_path: Path) -> None:
    """Its match was a crash of a bot that had never been started, and it counted."""
    (tmp_path / "bot.py").write_text(ANSWERS)
    seat = f"fiar:{sys.executable} bot.py"
    words = [sys.executable, str(ROOT / "manage.py"), "match", "connect-four-7x6", seat, seat]
    run = subprocess.run(
        ["sh", "-c", 'ulimit -n 12 && exec "$@"', "sh", *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("match: no process can be started: Too many open files.")
