"""PostgreSQL against SQLite: the processor time of the arena for a move, with fifty rooms that nobody watches.

Both arenas run side by side and are loaded in turns. What PostgreSQL's own processes use is named beside the ratio.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from tests.kit.processes import Postgres
from tools.bench.figures import Figure, repeated
from tools.bench.load import MOST, of_others
from tools.bench.path import Arena, contender, load_command

ROOMS, GOAL = 50, 1.1
FULL = Arena("full", False, None)


def run(windows: int = 5, seconds: float = 2.0, most: float = MOST) -> Iterator[Figure]:
    """`most` is the share of the machine that others may take before each window. Raises TooBusy."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder, ExitStack() as stack:
        load = load_command(Path(folder))
        postgres = stack.enter_context(_postgres())
        file = stack.enter_context(contender(load, ROOMS, FULL))
        server = stack.enter_context(contender(load, ROOMS, FULL, DATABASE_URL=postgres.create("bench")))
        own = []
        for _ in range(windows):
            of_others(most)
            file.measure(seconds)
            before, moves = _used(postgres.pid), server.moves
            server.measure(seconds)
            own.append((_used(postgres.pid) - before) / 1000 / max(1, server.moves - moves))
        ratios = [one.cpu / other.cpu for one, other in zip(server.samples, file.samples, strict=True)]
        detail = (
            f"{server.typical.cpu:.1f} and {file.typical.cpu:.1f} µs a move; PostgreSQL itself {median(own):.1f}; "
            f"{server.typical.rate:,.0f} and {file.typical.rate:,.0f} moves/s, load {os.getloadavg()[0]:.1f}"
        )
        yield repeated("a move on PostgreSQL / on SQLite", ratios, GOAL, detail, at_most=True)


@contextmanager
def _postgres() -> Iterator[Postgres]:
    server = Postgres()
    try:
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        server.remove()


def _used(pid: int) -> int:
    """Nanoseconds of processor time of this process and of those it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(int(Path(f"/proc/{each}/schedstat").read_text().split()[0]) for each in (pid, *children))
