"""Rooms on 1, 4 and 16 hosts, simulated: `python -m tools.shards`. Nothing beyond one host has been built.

A host is one interpreter: it referees a move, and its ledger prepares what is to be written. The ledger writes all that
waits in one transaction, and begins the next one when that is flushed; all hosts share the processors of one
PostgreSQL. The service times are those that `make bench` measures (docs/scaling.md); options say others.
"""

from __future__ import annotations

import argparse
import heapq
import random
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

LOADS = ((10_000, 5.0), (10_000, 1.0), (100_000, 2.0))
SHARDS = (1, 4, 16)
# Less than this part of what was asked for: more comes in than goes out.
KEEPS_UP = 0.95


class ServiceTimes(NamedTuple):
    """In µs: of the loop and of the ledger in the host's interpreter, a move; of PostgreSQL, a commit and a move of it;
    and of the disk, a flush, which processors do not wait for.
    """

    loop: float = 165.0
    ledger: float = 57.0
    commit: float = 235.0
    row: float = 6.2
    flush: float = 1000.0
    cores: int = 4


class Simulated(NamedTuple):
    """Moves a second that were stored, of those that bots would have made, and how long they waited for, in ms."""

    stored: float
    offered: float
    p50: float
    p99: float

    def __str__(self) -> str:
        if self.stored < KEEPS_UP * self.offered:
            return f"over ({self.stored:,.0f}/s)"
        return f"{self.p50:.1f} / {self.p99:.1f} ms"


class Clock:
    """The coming events, by their time in seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self._coming: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._coming, (self.now + seconds, self._number, do))

    def run(self, until: float) -> None:
        while self._coming and self._coming[0][0] <= until:
            self.now, _, do = heapq.heappop(self._coming)
            do()


class Servers:
    """So many that each do one thing at a time; what comes waits in the order in which it came."""

    def __init__(self, clock: Clock, number: int) -> None:
        self._clock, self._free = clock, number
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()

    def serve(self, seconds: float, done: Callable[[], None], first: bool = False) -> None:
        """`first`: before all that waits, as a thread gets its turn however much another one has to do."""
        (self._waiting.appendleft if first else self._waiting.append)((seconds, done))
        self._begin()

    def _begin(self) -> None:
        while self._free and self._waiting:
            self._free -= 1
            seconds, done = self._waiting.popleft()
            self._clock.after(seconds, lambda done=done: self._over(done))  # type: ignore[misc]

    def _over(self, done: Callable[[], None]) -> None:
        self._free += 1
        done()
        self._begin()


class SimulatedHost:
    """One interpreter, and a ledger that has one transaction open at a time."""

    def __init__(self, clock: Clock, database: Servers, times: ServiceTimes) -> None:
        self._clock, self._database, self._times = clock, database, times
        self._interpreter = Servers(clock, 1)
        self._pending: list[Callable[[], None]] = []
        self._writing = False

    def move(self, stored: Callable[[], None]) -> None:
        def refereed() -> None:
            self._pending.append(stored)
            self._write()

        self._interpreter.serve(self._times.loop / 1e6, refereed)

    def _write(self) -> None:
        if self._writing or not self._pending:
            return
        self._writing = True
        batch, self._pending = self._pending, []
        times = self._times

        def prepared() -> None:
            self._database.serve((times.commit + times.row * len(batch)) / 1e6, written)

        def written() -> None:
            self._clock.after(times.flush / 1e6, flushed)

        def flushed() -> None:
            self._writing = False
            for stored in batch:
                stored()
            self._write()

        self._interpreter.serve(times.ledger * len(batch) / 1e6, prepared, first=True)


def simulate(
    rooms: int, think_s: float, shards: int, times: ServiceTimes | None = None, seconds: float = 3.0, seed: int = 1
) -> Simulated:
    """A room makes its next move so long after the last one was stored, from half of `think_s` to half as much more.
    The first second is not counted.
    """
    clock, dice = Clock(), random.Random(seed)
    times = times or ServiceTimes()
    database = Servers(clock, times.cores)
    hosts = [SimulatedHost(clock, database, times) for _ in range(shards)]
    waits: list[float] = []

    def think(host: SimulatedHost, most: float = 1.5, least: float = 0.5) -> None:
        clock.after(dice.uniform(least, most) * think_s, lambda: move(host))

    def move(host: SimulatedHost) -> None:
        begun = clock.now

        def stored() -> None:
            if clock.now >= 1.0:
                waits.append(clock.now - begun)
            think(host)

        host.move(stored)

    for room in range(rooms):
        think(hosts[room % shards], least=0.0, most=1.0)
    clock.run(1.0 + seconds)
    waits.sort()
    places = (waits[int(len(waits) * part)] * 1000 for part in (0.5, 0.99)) if waits else (0.0, 0.0)
    p50, p99 = places
    return Simulated(len(waits) / seconds, rooms / think_s, p50, p99)


def table(times: ServiceTimes, seconds: float, loads: Sequence[tuple[int, float]] = LOADS) -> list[str]:
    """Lines of Markdown."""
    heads = "|".join("1 host" if n == 1 else f"{n} hosts" for n in SHARDS)
    lines = [f"|rooms, think|{heads}|", "|---" * 4 + "|"]
    for rooms, think_s in loads:
        cells = (str(simulate(rooms, think_s, shards, times, seconds)) for shards in SHARDS)
        lines.append(f"|{rooms:,}, {think_s:g} s|{'|'.join(cells)}|")
    return lines


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.shards", description="Rooms on several hosts, simulated.")
    known = ServiceTimes()
    for name in ("loop", "ledger", "commit", "row", "flush"):
        parser.add_argument(f"--{name}", type=float, default=getattr(known, name), metavar="US")
    parser.add_argument("--cores", type=int, default=known.cores, help="of PostgreSQL")
    parser.add_argument("--seconds", type=float, default=3.0, help="that are counted")
    said = vars(parser.parse_args(words))
    seconds = said.pop("seconds")
    print("p50 / p99 from a bot's answer to the commit; `over`: what is stored, where more comes than goes\n")
    for line in table(ServiceTimes(**said), seconds):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
