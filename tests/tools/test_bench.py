"""The benches run and say what they should. What they measure is asserted nowhere."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.kit import deadline
from tests.kit.server import migrate
from tests.kit.until import blocked_until
from tools.bench import path, rules
from tools.bench.figures import Figure, repeated
from tools.bench.load import TooBusy, of_others

ROOT = Path(__file__).parent.parent.parent
DEADLINE_S = 800  # of the whole run a test may take 900
INSTALLED = {"openspiel": "pyspiel", "pettingzoo": "pettingzoo"}


# The event on both engines alone: what is measured before it leaves nothing, and takes 10 s of processor.
ENGINES = """
import sys
from tools.bench import __main__ as bench

def show(name, size):
    from tools.bench import engines, slots
    list(engines.workers(1, slots.BOT, 1))

bench._show = show
sys.exit(bench.main(["slots", "--quick"]))
"""

# Is told to end while a callback of the loop runs, for whose result the cleaning up waits.
TOLD = """
import asyncio, os, signal, sys
from tools.bench import __main__ as bench

def run(*chosen):
    asyncio.run(waits())

async def waits():
    pipes = asyncio.get_running_loop().create_future()
    def connect():
        os.kill(os.getpid(), signal.SIGTERM)
        pipes.set_result(None)
    asyncio.get_running_loop().call_soon(connect)
    try:
        await asyncio.Event().wait()
    finally:
        await pipes
        print("cleaned up")

bench._run = run
sys.exit(bench.main(["rules"]))
"""


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.bench", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S)


@pytest.mark.cases(1)
@pytest.mark.service
@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("durable", ["20 at once / consumers", "20 at once / SQLite itself"]),
        ("disk", ["MB for 1 000 matches of droidcon", "arena_packedlog", "arena_wirechunk"]),
        ("flat", ["ply 200 / ply 10, memory", "ply 200 / ply 10, database"]),
        (
            "slots",
            [
                "2 slots, what bots thought / all processor time",
                "2 slots, instant bots, bare processes / local",
                "host, ms of its processor a match",
                "worker, MB beyond its bots",
            ],
        ),
        (
            "stdio",
            [
                "fresh processes, arena / bare pipe loop",
                "kept processes, arena / bare pipe loop",
                "kept, on pipes too, arena / bare pipe loop",
                "kept processes, asyncio alone / bare pipe loop",
            ],
        ),
        (
            "runner",
            [
                "match of two programs begins, seconds",
                "match tcp: listens, seconds",
                "a game of runner, by the clock / plain loop",
                "processor time / plain loop",
            ],
        ),
        ("rooms", ["a move with 60 rooms / with 50", "KiB of an idle room of 60"]),
        ("path", ["50 rooms, full", "1 room, full", "1 room, normal"]),
        ("admin", ["admin, control room", "admin, search of all, a name", "home", "replay", "match / a bare view"]),
        ("databases", ["a move on PostgreSQL / on SQLite"]),
        ("watchers", ["a frame for 20 watchers / bare send", "a frame for 20 watchers / for 5"]),
        (
            "isolation",
            [
                "--pages 0, rows: answer p50",
                "--pages 1, all: answer p99",
                "--pages 1, 5 watch another match: answer p99",
            ],
        ),
        ("pages", ["home, connect-four-7x6: requests", "7x6: KB without the font", "first paint, seconds", "precache"]),
        ("strength", ["positions a second, kernel / reference", "ply 20: worst", "whole match: median"]),
    ],
)
def test_every_bench_prints_its_ratios_beside_their_goals(name: str, figures: list[str], tmp_path: Path) -> None:
    migrate(tmp_path)  # the tables are made here once, and not by each of them
    done = bench("--quick", name)
    assert (done.returncode, done.stderr) == (0, "")
    for figure in figures:
        assert figure in done.stdout


def test_an_unknown_bench_is_named_with_those_there_are() -> None:
    done = bench("speed")
    assert done.returncode == 2
    assert "no bench 'speed'; there are rules, durable, flat, stdio, slots, runner, rooms, path" in done.stdout


@pytest.mark.parametrize("name", [name for name in rules.PLAYERS if find_spec(INSTALLED.get(name, "games"))])
def test_every_player_plays_whole_matches(name: str) -> None:
    play, _ = rules.PLAYERS[name]
    moves = play(20, random.Random(1))
    assert 20 * 7 <= moves <= 20 * 42


def test_the_load_plays_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    load = path.load_command(tmp_path)
    assert load[-1].endswith("pairs.py")
    with path._relay(load, rooms=2) as relay:
        relay.measure(0.1)
        assert relay.typical.rate > 0


def test_a_figure_says_whether_its_goal_holds() -> None:
    assert "holds" in str(Figure("speed", 0.5, 0.5, "5 and 10"))
    assert "MISSED" in str(Figure("speed", 0.4, 0.5, "4 and 10"))
    assert "MISSED" in str(Figure("cost", 1.3, 1.2, "13 and 10", at_most=True))
    assert "MISSED" not in str(Figure("speed", 0.4, None, "4 and 10"))


def test_of_repeats_the_middle_counts_and_the_worst_stands_beside_it() -> None:
    said = str(repeated("cost", [1.1, 9.0, 1.3, 1.2, 1.25], 2, "12 and 10", at_most=True))
    assert "1.25  <= 2     holds   worst of 5 9.00; 12 and 10" in said
    assert "worst of 3 0.40; 4 and 10" in str(repeated("speed", [0.5, 0.4, 0.6], None, "4 and 10"))


def test_on_a_machine_that_others_use_nothing_is_measured() -> None:
    assert 0 <= of_others(most=1.0) <= 1
    with pytest.raises(TooBusy, match=r"others take \d+% of this machine"):
        of_others(most=-1.0)


def test_who_is_told_to_end_within_a_callback_cleans_up_and_ends() -> None:
    told = subprocess.run(
        [sys.executable, "-c", TOLD], cwd=ROOT, capture_output=True, text=True, timeout=deadline.DEADLINE_S
    )
    assert (told.returncode, told.stdout, told.stderr) == (128 + signal.SIGTERM, "cleaned up\n", "")


@pytest.mark.service
def test_who_is_told_to_end_leaves_no_server_and_no_folder() -> None:
    folder = Path(tempfile.mkdtemp(prefix="arena-told-"))  # PostgreSQL may not enter those of pytest
    folder.chmod(0o755)
    process = subprocess.Popen([sys.executable, "-c", ENGINES], cwd=ROOT, env={**os.environ, "TMPDIR": str(folder)})
    try:
        blocked_until(lambda: process.poll() is not None or list(folder.glob("arena-bench-*/lent/host")))
        (postmaster,) = folder.glob("arena-postgres-*/data/postmaster.pid")
        database = Path("/proc") / postmaster.read_text().split()[0]
        assert database.exists()
        process.terminate()
        assert process.wait(deadline.DEADLINE_S) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.wait()
    blocked_until(lambda: not database.exists())
    folder.rmdir()  # which is empty
