"""The process that measures the time notices that it was suspended itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from arena.match.commands import Play, Start
from arena.match.state import SeatSetup, Setup
from arena.play.bout import Bout
from arena.play.crew import Crew
from arena.play.loop import Alarm, Loop
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.play.stalls import StallWatch
from tests.kit.deadline import DEADLINE_S

# Plays the leftmost free column; before one move it stops the process that has started it for a while.
STOPS = """import os, signal, sys, time
for turn, line in enumerate(sys.stdin):
    if turn == AT:
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(0.3)
        os.kill(os.getppid(), signal.SIGCONT)
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""


def stalled_ms(folder: Path, at: int, measured: int = 50) -> int:
    (folder / "stops.py").write_text(STOPS.replace("AT", str(at)))
    bot = CommandSeat("fiar", (sys.executable, "stops.py"), cwd=str(folder))
    crew = Crew(1)
    try:
        crew.give(1, Spec("connect-four-7x6", (bot, BuiltinSeat("random")), seed=2, stall_ms=measured))
        (done,) = crew.wait(DEADLINE_S)
    finally:
        crew.stop()
    assert done.log is not None and done.log.state.termination == "normal", done
    return done.log.stalled_ms


def test_a_process_that_was_stopped_says_for_how_long(tmp_path: Path) -> None:
    assert stalled_ms(tmp_path, at=1) >= 290


def test_where_nobody_asks_nothing_is_measured(tmp_path: Path) -> None:
    assert stalled_ms(tmp_path, at=1, measured=0) == 0


class CountingLoop(Loop):
    armed = 0

    def call_later(self, delay: float, callback: Callable[..., object]) -> Alarm:
        self.armed += 1
        return super().call_later(delay, callback)


def test_many_turns_are_watched_by_one_alarm() -> None:
    """Each turn after that of an opponent that answers at once had one more, which went on for the whole match."""
    loop, seats = CountingLoop(), (SeatSetup("a", "bot"), SeatSetup("b", "builtin"))
    bout = Bout(loop, "match", Setup("expanding-nim", seats), 3600.0, lambda bout, seat: None)
    bout.post(Start())
    before = loop.armed
    bout.followers.append(StallWatch(loop, frozenset({0})))
    for ply in range(1, 41):
        bout.post(Play((ply - 1) % 2, ply, "1"))
    assert bout.state.position.ply == 40
    assert loop.armed - before == 1
