"""What the local engine of work costs beside bare processes that play the same matches.

In turns, by processor time of all processes that take part with all that they have started: the clock says nothing
where others take the machine, so games a second and the load only stand beside it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from arena.bots.process.guests import FUNCTION
from arena.paths import ROOT
from arena.play.driver import Log
from arena.play.spec import CommandSeat, Spec
from arena.work.engine import LocalEngine
from tests.kit.samples import Sample, command
from tests.kit.workers import children
from tools.bench.figures import Figure, repeated

VARIANT = "connect-four-7x6"
SLOTS = 2
GOAL_INSTANT = 0.75
TICKS = os.sysconf("SC_CLK_TCK")
# Plays one of its matches for each line that it reads, with nothing around it but the driver.
BARE = """import json, sys
from arena.play.driver import play
from arena.play.spec import Spec
for line in sys.stdin:
    (log,) = play(Spec.from_data(json.loads(line)))
    assert log.state.termination == "normal", log.state.reason
    print("played", flush=True)
"""


class Spent(NamedTuple):
    """Seconds a match."""

    processor: float
    clock: float


def instant(repeats: int, matches: int) -> Figure:
    """Programs that answer at once, new ones for each match: bare processes that play nothing else, of the slots."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        argv = command(Sample("fiar", "c" if shutil.which("gcc") else "py"), Path(folder))
        seat = CommandSeat("fiar", tuple(argv))
        spec = Spec(VARIANT, (seat, seat), 1, "5s", cwd=folder, freeze=True)
        pairs = [(_bare(spec, matches), asyncio.run(_local(spec, matches))) for _ in range(repeats)]
    bare, local = (median(1 / each.clock for each in those) for those in zip(*pairs, strict=True))
    return repeated(
        f"{SLOTS} slots, instant bots, bare processes / local",
        [one.processor / other.processor for one, other in pairs],
        GOAL_INSTANT,
        f"{bare:.0f} and {local:.0f} games/s by the clock, load {os.getloadavg()[0]:.1f}",
    )


def _bare(spec: Spec, matches: int) -> Spent:
    line = json.dumps(spec.to_data()) + "\n"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", BARE], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(SLOTS)
    ]

    def played(count: int) -> None:
        for process in started:
            assert process.stdin is not None, "a pipe"
            process.stdin.write(line * count)
            process.stdin.flush()
        for process in started:
            assert process.stdout is not None, "a pipe"
            assert [process.stdout.readline() for _ in range(count)] == ["played\n"] * count, "every match is played"

    try:
        played(1)
        return _measured(lambda: played(matches // SLOTS), [each.pid for each in started], matches)
    finally:
        for process in started:
            process.communicate()


async def _local(spec: Spec, matches: int) -> Spent:
    engine, job = LocalEngine(SLOTS, 0), {"spec": spec.to_data()}

    async def played(slot: int, count: int) -> None:
        for _ in range(count):
            (log,) = (await engine.run(slot, FUNCTION, job))["logs"]
            state = Log.from_data(log).state
            assert state.termination == "normal", state.reason

    try:
        await asyncio.gather(*(played(slot, 1) for slot in range(SLOTS)))
        slots, mine, began = children(os.getpid()), time.process_time(), time.monotonic()
        before = _seconds(slots)
        await asyncio.gather(*(played(slot, matches // SLOTS) for slot in range(SLOTS)))
        spent = _seconds(slots) - before + time.process_time() - mine
        return Spent(spent / matches, (time.monotonic() - began) / matches)
    finally:
        await engine.close()


def _measured(do: Callable[[], None], pids: list[int], matches: int) -> Spent:
    before, began = _seconds(pids), time.monotonic()
    do()
    return Spent((_seconds(pids) - before) / matches, (time.monotonic() - began) / matches)


def _seconds(pids: Iterable[int]) -> float:
    """Of processor time of these, and of all that they have started and ended."""
    spent, left = 0.0, list(pids)
    while left:
        pid = left.pop()
        try:
            fields: list[Any] = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            for task in Path(f"/proc/{pid}/task").iterdir():
                left += map(int, (task / "children").read_text().split())
        except OSError:  # it has ended, and its parent has its time
            continue
        spent += sum(map(int, fields[11:15])) / TICKS
    return spent
