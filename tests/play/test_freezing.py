"""A program stands still while its opponent is to move, and goes on in time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.play.driver import play
from arena.play.spec import CommandSeat, Spec
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
