"""Matches played by separate processes: the share of the processors that is left to the bots, and the cost to the host.

Two bots think for 5 ms of processor time a move, and stand still outside their turns. Their thinking time is divided by
all the processor time that this process and its children used: the rest is the cost of playing. Wall time says nothing
when others use the machine, so games a second are only printed beside the figure, with the load.

The host judges each returned match again and stores it with its table and its consequences: one match in a transaction
if it comes from the host's own slots, all that have arrived if they come from workers. What the engines cost:
`tools.bench.engines`.
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
from functools import cache
from pathlib import Path
from typing import Any

from arena.paths import ROOT
from arena.play.driver import Log, Watcher, play
from arena.play.pool import play_on
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from tools.bench import engines
from tools.bench.figures import Figure, repeated
from tools.bench.stdio import SAMPLE

VARIANT = "connect-four-7x6"
SLOTS, THINK_MS = 2, 5
GOAL_LEFT, GOAL_HOST_MS, GOAL_WORKER_MB = 0.9, 0.5, 60
# How many of the matches that workers have returned are stored in one transaction: arena.work.workers.lender.
AT_ONCE = 60
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
    for at_once, wires, more in ((1, False, ""), (AT_ONCE, False, ""), (AT_ONCE, True, ", with wires")):
        costs = [_host_ms(returned, at_once, wires) for _ in range(repeats)]
        name = f"host, ms of its processor a match, {at_once} at once{more}"
        yield repeated(name, costs, GOAL_HOST_MS, f"{returned} matches", at_most=True)
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


@cache
def _wires() -> Any:
    """What the programs of a match said and were told."""
    seat = CommandSeat("fiar", (sys.executable, str(SAMPLE)))
    (log,) = play(Spec(VARIANT, (seat, seat), clock="5s", wires=True))
    return log.to_data()["wires"]


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


def _answer(found: dict[str, Any], wires: bool) -> str:
    """The answer as the host gets it."""
    if wires:
        found["logs"][0]["wires"] = _wires()
    return json.dumps(found)


def _host_ms(returned: int, at_once: int, wires: bool = False) -> float:
    """The time to read, judge and store a match, with its consequences, and with the wires of two bots if wanted; all
    answers have arrived before the first is examined.
    """
    from arena.play.run import played
    from arena.tournaments import encounters
    from arena.tournaments.encounters import Encounters
    from arena.work import rows
    from tests.kit.storage import held
    from tests.kit.tournaments import a_spec, begun, builtins, sheet

    fence, host = held(), Encounters()
    found = sheet(begun(a_spec(entries=builtins(12, "random"), legs=2)).slug)
    for line in found.lines[:returned]:
        encounters.submit(found, line)
    runs = [rows.claim("bench", (encounters.KIND,)) for _ in range(min(returned, len(found.lines)))]
    texts = [(run, _answer(played(host.kind.job(run)), wires)) for run in runs if run is not None]
    began = time.process_time()
    assert host.kind.store_all is not None, "this kind stores several at once"
    stored: list[object] = []
    for first in range(0, len(texts), at_once):
        some = texts[first : first + at_once]
        stored += host.kind.store_all([(run, json.loads(text)) for run, text in some], fence)
    spent = time.process_time() - began
    assert all(each is True for each in stored) and len(stored) == len(runs), "every answer is stored"
    return 1000 * spent / len(stored)
