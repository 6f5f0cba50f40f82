"""Matches of every sample bot as a child process beside busy loops, counted by how they ended.

`make soak ARGS='samples [MATCHES [LOOPS]]'`. Every match starts its bot anew and has the clock of its protocol. Fails
where a match does not end by its rules: no bot may lose because the machine was busy while it started.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MATCHES, LOOPS = 50, 20


def main(arguments: list[str]) -> int:
    matches = int(arguments[0]) if arguments else MATCHES
    loops = int(arguments[1]) if len(arguments) > 1 else LOOPS
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "arena.settings", "ARENA_DATA": folder}
        import django

        django.setup()
        with busy(loops):
            return asyncio.run(_all(Path(folder), matches))


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that compute without end, at the same priority as everything else."""
    command = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


async def _all(folder: Path, matches: int) -> int:
    """Prints a line a sample; 1 if any match ended otherwise than by its rules."""
    from tests.samples.programs import SAMPLES, alone

    failed = 0
    for sample in SAMPLES:
        endings = await _endings(sample.protocol, sample.variant, tuple(alone(sample, folder)), matches)
        told = ", ".join(f"{count} {how}" for how, count in endings.most_common())
        print(f"{sample.path.name:24} {told}", flush=True)
        failed += set(endings) != {"normal"}
    return min(failed, 1)


async def _endings(protocol: str, variant: str, argv: tuple[str, ...], matches: int) -> Counter[str]:
    """How the matches ended: `normal`, or the termination with its reason."""
    from arena.bots.local.matches import LocalMatches, Order
    from arena.core.hub import LiveMatch
    from arena.play.spec import BuiltinSeat, CommandSeat
    from arena.protocols import protocol as adapter_of

    endings: Counter[str] = Counter()

    def ended(round: int, live: LiveMatch) -> None:
        how = live.state.termination or ""
        endings[how if how == "normal" else f"{how}: {live.state.reason}"] += 1

    seats = (CommandSeat(protocol, argv), BuiltinSeat("beginner"))
    order = Order(variant, seats, matches, clock=adapter_of(protocol).clock, seed=1, concurrency=2)
    await LocalMatches(order, lambda round, live: None, ended).play()
    return endings
