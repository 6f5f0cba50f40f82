"""A referee without a database, for what stands on top of it: rooms, sessions, players."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from arena.core.hub import Hub, LiveMatch
from arena.core.ledger import Ledger
from arena.core.log_store import MemoryStore, Store
from arena.core.referee import Referee
from arena.match.state import SeatSetup, Setup


@asynccontextmanager
async def refereeing(store: Store | None = None) -> AsyncIterator[Referee]:
    """A referee with a log in memory, or in this store."""
    ledger = Ledger(store or MemoryStore(), died)
    referee = Referee(ledger, Hub())
    try:
        yield referee
    finally:
        referee.close()
        await ledger.close()


async def started(
    referee: Referee, *seats: SeatSetup, variant: str = "connect-four-7x6", clock: str = "none"
) -> LiveMatch:
    """A running match of Ada against Bob, or of these seats."""
    first, second = seats or (SeatSetup("Ada"), SeatSetup("Bob"))
    live = await referee.open(Setup(variant, (first, second), clock=clock))
    await referee.start(live)
    return live


def moves_of(live: LiveMatch) -> list[str]:
    return [event.move for event in live.events if event.kind == "move"]


def died(error: BaseException) -> None:
    pytest.fail(f"the ledger died: {error!r}")
