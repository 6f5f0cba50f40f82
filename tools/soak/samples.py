"""Matches of every sample bot as a child process beside busy loops, counted by how they ended.

`make soak ARGS='samples [MATCHES [LOOPS]]'`. Every match starts its bots afresh and has the clock of its protocol.
Fails if a match does not end by its rules: no bot may lose because the machine was busy while it started.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.play.driver import Log, play
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.protocols import protocol
from tests.kit.samples import SAMPLES, alone

MATCHES, LOOPS = 50, 20


def main(arguments: list[str]) -> int:
    matches = int(arguments[0]) if arguments else MATCHES
    loops = int(arguments[1]) if len(arguments) > 1 else LOOPS
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder, busy(loops):
        return _all(Path(folder), matches)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """This many processes that compute without end, at the same priority as everything else."""
    command = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _all(folder: Path, matches: int) -> int:
    """Prints a line for each sample. Returns 1 if a match did not end by its rules."""
    failed = 0
    for sample in SAMPLES:
        seats = (CommandSeat(sample.protocol, tuple(alone(sample, folder))), BuiltinSeat("beginner"))
        clock = protocol(sample.protocol).clock
        logs = play(Spec(sample.variant, seats, matches, clock, seed=1, concurrency=2))
        endings = Counter(_how(log) for log in logs)
        told = ", ".join(f"{count} {how}" for how, count in endings.most_common())
        print(f"{sample.protocol:16} {sample.language:2} {told}", flush=True)
        failed += set(endings) != {"normal"}
    return min(failed, 1)


def _how(log: Log) -> str:
    """`normal`, or the termination with its reason."""
    state = log.state
    return "normal" if state.termination == "normal" else f"{state.termination}: {state.reason}"
