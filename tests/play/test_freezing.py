"""A program stands still while its opponent is to move, and goes on in time."""

from __future__ import annotations

import os
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
from arena.transports.process_tree import kill_family
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
    command = ["sh", "-c", "setsid sleep 600 & echo $!; wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as started:
        try:
            assert started.stdout is not None
            both, loop = {started.pid, int(started.stdout.readline())}, Loop()
            freezer = Freezer(loop, started.pid, lambda: True, boxed=True)
            freezer.freeze_soon()
            loop.run(lambda: freezer.frozen)
            wait_for(lambda: stopped(both) == 2)
            freezer.thaw()
            wait_for(lambda: stopped(both) == 0)
        finally:
            kill_family(started.pid)


# Eight processes that are replaced by their children again and again, each of which says that it is there. Whoever
# loses its parent is adopted by the first one, as in a sandbox, and ends with it.
FORKS = """
import ctypes, os, signal, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
first = os.getpid()
for _ in range(8):
    if os.fork() == 0:
        while True:
            born = time.perf_counter()
            while time.perf_counter() < born + 0.001:
                pass
            os.write(1, b".")
            os.kill(first, 0)
            if os.fork():
                os._exit(0)
time.sleep(600)
"""


def test_a_program_that_forks_while_it_is_stopped_stands_still_as_well() -> None:
    with subprocess.Popen([sys.executable, "-c", FORKS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as started:
        try:
            assert started.stdout is not None and started.stdout.read(1)
            os.set_blocking(started.stdout.fileno(), False)
            loop = Loop()
            freezer = Freezer(loop, started.pid, lambda: True, boxed=True)
            for _ in range(5):
                freezer.freeze_soon()
                assert loop.wait(Silence(loop, started.stdout.fileno()).is_long, DEADLINE_S)
                freezer.thaw()
        finally:
            started.kill()
            kill_family(started.pid)


class Silence:
    """Whether for ten looks in a row nothing has come; it is looked every 20 ms."""

    def __init__(self, loop: Loop, fd: int) -> None:
        self._loop, self._fd, self._looks = loop, fd, 0
        self._look()

    def is_long(self) -> bool:
        return self._looks > 10

    def _look(self) -> None:
        try:
            self._looks = 0 if os.read(self._fd, 1 << 16) else self._looks
        except BlockingIOError:
            self._looks += 1
        if not self.is_long():
            self._loop.call_later(0.02, self._look)
