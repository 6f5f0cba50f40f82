"""Matches played by separate processes: the share of the processors that is left to the bots, and the cost to the host.

Two bots think for 5 ms of processor time a move, and stand still outside their turns. Their thinking time is divided by
all the processor time that this process and its children used: the rest is the cost of playing. Wall time says nothing
when others use the machine, so games a second are only printed beside the figure, with the load.

What the host pays for each returned match: `tools.bench.stored`. What the engines cost: `tools.bench.engines`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from arena.paths import ROOT
from arena.play.driver import Log, Watcher
from arena.play.pool import play_on
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from tools.bench import engines, stored
from tools.bench.figures import Figure, repeated

VARIANT = "connect-four-7x6"
SLOTS, THINK_MS = 2, 5
GOAL_LEFT, GOAL_WORKER_MB = 0.9, 60
# Thinks for this much processor time, then plays the leftmost column that has room.
BOT = """import sys, time
for line in sys.stdin:
    end = time.process_time() + THINK_S
    while time.process_time() < end:
        pass
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""
# Loads what a worker with one slot loads, lets it play a match, and prints how many KB both processes take.
WORKER = """import arena.management.working, asyncio, json, logging.config, os, sys
from arena.bots.process import guests
from arena.work.engine import LocalEngine
from django.conf import settings

async def main():
    logging.config.dictConfig(settings.LOGGING)
    engine, job, me = LocalEngine(1, 0), json.loads(sys.argv[1]), os.getpid()
    await engine.run(0, guests.FUNCTION, job)
    pids = [me, *open(f"/proc/{me}/task/{me}/children").read().split()]
    rollups = [line.split() for pid in pids for line in open(f"/proc/{pid}/smaps_rollup")]
    print(sum(int(size) for name, size, *_ in rollups if name == "Pss:"))
    await engine.close()

asyncio.run(main())
"""


def run(repeats: int = 5, matches: int = 120, returned: int = 132, legs: int = 10) -> Iterator[Figure]:
    """`legs` are those of the event on both engines; with 0 legs there is no event."""
    yield repeated(*_left_to_bots(repeats, matches))
    yield engines.instant(repeats, matches)
    if legs:
        yield from engines.workers(repeats, BOT.replace("THINK_S", str(THINK_MS / 1000)), legs)
    yield from stored.figures(repeats, returned)
    yield repeated(*_worker_mb(repeats), at_most=True)


def _worker_mb(repeats: int) -> tuple[str, list[float], float, str]:
    """The memory of a worker, including its share of what processes have in common, without its database
    connections.
    """
    spec = Spec(VARIANT, (BuiltinSeat("random"), BuiltinSeat("random", "another")), 1)
    command = [sys.executable, "-c", WORKER, json.dumps({"spec": spec.to_data()})]
    found = [subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout for _ in range(repeats)]
    return "worker, MB beyond its bots", [int(kb) / 1024 for kb in found], GOAL_WORKER_MB, "one slot that has played"


def _left_to_bots(repeats: int, matches: int) -> tuple[str, list[float], float, str]:
    shares, rates = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            (Path(folder) / "thinks.py").write_text(BOT.replace("THINK_S", str(THINK_MS / 1000)))
            seat, count = CommandSeat("fiar", (sys.executable, "thinks.py")), _Moves()
            spec = Spec(VARIANT, (seat, seat), matches, "5s", cwd=folder, concurrency=SLOTS, keep=True, freeze=True)
            used, began = _cpu(), time.monotonic()
            play_on(SLOTS, spec, count)
            used, took = _cpu() - used, time.monotonic() - began
        assert count.matches == matches, "every match is played to its end"
        shares.append(count.moves * THINK_MS / 1000 / used)
        rates.append(matches / took)
    best, load = max(rates), os.getloadavg()[0]
    name = f"{SLOTS} slots, what bots thought / all processor time"
    return name, shares, GOAL_LEFT, f"{best:.1f} games/s of {count.moves // matches} moves, load {load:.1f}"


class _Moves(Watcher):
    def __init__(self) -> None:
        self.moves = self.matches = 0

    def ended(self, log: Log) -> None:
        assert log.state.termination == "normal", log.state.reason
        self.matches += 1
        self.moves += sum(event.kind == "move" for event in log.events)


def _cpu() -> float:
    """The processor time of this process and of the children that it has reaped, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
