"""The cost of a late move against that of an early one: Nim with 1 000 stones, taken one by one, so only the length
differs.

A batch of matches is played side by side through referee, hub and ledger, and the processor time of all threads of the
process is measured. Early moves are those around ply 10, late ones those around ply 200; each batch gives one ratio,
and the median is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from statistics import median

from arena.core.hub import Hub, LiveMatch
from arena.core.ledger import Ledger
from arena.core.log_store import MemoryStore, Store
from arena.core.referee import Referee
from arena.match.commands import Play
from arena.match.state import SeatSetup, Setup
from tests.kit.storage import Database
from tools.bench.figures import Figure, raised

SETUP = Setup("expanding-nim", (SeatSetup("a"), SeatSetup("b")), {"stones": 1000}, clock="2m")
EARLY, LATE = 10, 200
STORES: dict[str, Callable[[], Store]] = {"memory": MemoryStore, "database": Database}
GOAL = 1.2


def run(batches: int = 15, matches: int = 20, moves: int = 20) -> Iterator[Figure]:
    for name, store in STORES.items():
        pairs = [asyncio.run(_batch(store(), matches, moves)) for _ in range(batches)]
        early, late = (median(cost) for cost in zip(*pairs, strict=True))
        ratio = median(after / before for before, after in pairs)
        detail = f"{early:.1f} µs at ply {EARLY}, {late:.1f} µs at ply {LATE}"
        yield Figure(f"ply {LATE} / ply {EARLY}, {name}", ratio, GOAL, detail, at_most=True)


async def _batch(store: Store, matches: int, moves: int) -> tuple[float, float]:
    """The cost of an early and of a late move, in µs."""
    ledger = Ledger(store, raised)
    referee = Referee(ledger, Hub())
    lives = await asyncio.gather(*[_started(referee) for _ in range(matches)])
    await _play(referee, lives, EARLY - moves // 2)
    early = await _cost(referee, lives, moves)
    await _play(referee, lives, LATE - EARLY - moves)
    late = await _cost(referee, lives, moves)
    referee.close()
    await ledger.close()
    return early, late


async def _started(referee: Referee) -> LiveMatch:
    live = await referee.open(SETUP)
    await referee.start(live)
    return live


async def _cost(referee: Referee, lives: list[LiveMatch], moves: int) -> float:
    begin = time.process_time()
    await _play(referee, lives, moves)
    return (time.process_time() - begin) / (moves * len(lives)) * 1e6


async def _play(referee: Referee, lives: list[LiveMatch], moves: int) -> None:
    await asyncio.gather(*[_play_on(referee, live, moves) for live in lives])


async def _play_on(referee: Referee, live: LiveMatch, moves: int) -> None:
    for _ in range(moves):
        position = live.state.position
        await referee.act(live, Play(position.ply % 2, position.ply + 1, "1"))
