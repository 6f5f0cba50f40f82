"""A program stands still while its opponent is to move, and goes on in time."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.play.driver import play
from arena.play.freezing import Freezer
from arena.play.loop import Loop
from arena.play.spec import CommandSeat, Spec
from arena.transports.process_tree import family, kill_family
from tests.kit.deadline import DEADLINE_S

# Plays the leftmost free column, and ponders without end: a thread of it never rests.
PONDERS = """import os, sys, threading
open("pid", "w").write(str(os.getpid()))
def ponder():
    while True:
        pass
threading.Thread(target=ponder, daemon=True).start()
for line in sys.stdin:
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""
# Answers when it has seen its opponent in a state that is wanted, and gives up when it never is.
LOOKS = """import sys, time
def state():
    return open(f"/proc/{open('pid').read()}/stat").read().rpartition(")")[2].split()[0]
for turn, line in enumerate(sys.stdin):
    end = time.monotonic() + DEADLINE_S
    while turn and (state() == "T") != WANTED:
        if time.monotonic() > end:
            sys.exit(4)
        time.sleep(0.005)
    print(next(n for n in range(7, 0, -1) if line.split()[1][n - 1] == "."), flush=True)
"""


@pytest.mark.parametrize("freeze", [True, False])
def test_who_is_not_to_move_stands_still_where_that_is_asked_for(tmp_path: Path, freeze: bool) -> None:
    (tmp_path / "ponders.py").write_text(PONDERS)
    looks = LOOKS.replace("DEADLINE_S", str(DEADLINE_S)).replace("WANTED", str(freeze))
    (tmp_path / "looks.py").write_text(looks)
    seats = [CommandSeat("fiar", (sys.executable, each), each) for each in ("ponders.py", "looks.py")]
    (log,) = play(Spec("connect-four-7x6", (seats[0], seats[1]), cwd=str(tmp_path), freeze=freeze))
    assert (log.state.termination, log.state.winner) == ("normal", 0), log.state.reason


def stopped(pids: set[int]) -> int:
    stats = [Path(f"/proc/{pid}/stat").read_text() for pid in pids]
    return sum(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_whoever_left_the_group_of_a_program_in_a_sandbox_stands_still_as_well() -> None:
    with subprocess.Popen(["sh", "-c", "setsid sleep 600 & wait"]) as started:
        try:
            wait_for(lambda: len(family(started.pid)) == 2)
            both, loop = family(started.pid), Loop()
            freezer = Freezer(loop, started.pid, lambda: True, boxed=True)
            freezer.freeze_soon()
            loop.run(lambda: freezer.frozen)
            wait_for(lambda: stopped(both) == 2)
            freezer.thaw()
            wait_for(lambda: stopped(both) == 0)
        finally:
            kill_family(started.pid)
