"""A house of ledger, hub and referee, and tables in it where a test sits down at a match."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from arena.core.hub import Hub, LiveMatch, TurnSignal, Update
from arena.core.ledger import Ledger
from arena.core.log_store import Store
from arena.core.referee import Referee
from arena.match.commands import Command
from arena.match.state import SeatSetup, Setup
from tests.kit.deadline import DEADLINE_S


class Told:
    """A follower that keeps what it was told, and can be waited for."""

    def __init__(self) -> None:
        self.news: list[Update | TurnSignal] = []
        self._more = asyncio.Event()

    def __call__(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        self.news.append(news)
        self._more.set()

    @property
    def updates(self) -> list[Update]:
        return [news for news in self.news if isinstance(news, Update)]

    @property
    def kinds(self) -> list[str]:
        return [event.kind for update in self.updates for event in update.events]

    @property
    def turns(self) -> list[TurnSignal]:
        """Every begin of a turn, whether it came with a update or later."""
        told = [news if isinstance(news, TurnSignal) else news.turn for news in self.news]
        return [turn for turn in told if turn is not None]

    async def until(self, done: Callable[[Told], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not done(self):
                self._more.clear()
                await self._more.wait()


class Table:
    """One match with its referee: what a test sits down at."""

    def __init__(self, referee: Referee, live: LiveMatch) -> None:
        self.referee = referee
        self.live = live
        self.told = Told()
        referee.hub.follow(live, self.told)

    def act(self, command: Command, stamp: float | None = None) -> asyncio.Future[str]:
        """Post an act at once; the future is "" or the code of the refusal."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.referee.post(self.live, command, lambda refusal: answer.set_result(refusal.code if refusal else ""), stamp)
        return answer

    def at(self, seconds: float) -> float:
        """The stamp this many seconds after the beginning of the running turn."""
        assert self.live.turn.since is not None
        return self.live.turn.since + seconds

    def given_back(self, seat: int) -> int:
        """All that the log gave back to the seat, in milliseconds: a busy machine has stalls of its own."""
        return sum(event.data.get("given_back_ms", 0) for event in self.live.events if event.seat == seat)

    @property
    def lost_ms(self) -> list[int]:
        """How much was given back of each turn that lost some of its time."""
        return [event.data["given_back_ms"] for event in self.live.events if "given_back_ms" in event.data]

    @property
    def moves(self) -> str:
        return " ".join(event.move for event in self.live.events if event.kind == "move")


async def answers(*waiting: asyncio.Future[str]) -> list[str]:
    async with asyncio.timeout(DEADLINE_S):
        return await asyncio.gather(*waiting)


class House:
    """Ledger, hub and referee over one store, as a process has them."""

    def __init__(self, store: Store, deaths: list[BaseException]) -> None:
        self.ledger = Ledger(store, deaths.append)
        self.hub = Hub()
        self.referee = Referee(self.ledger, self.hub)

    async def match(self, clock: str = "none", variant: str = "connect-four-7x6", **more: Any) -> Table:
        """A match that has started."""
        setup = Setup(variant, (SeatSetup("Ada"), SeatSetup("Bob")), clock=clock, **more)
        table = Table(self.referee, await self.referee.open(setup))
        await self.referee.start(table.live)
        return table

    async def sit(self, match: str) -> Table:
        """Somebody else's match, as this process sees it."""
        live = await self.referee.load(match)
        assert live is not None
        return Table(self.referee, live)

    async def close(self) -> None:
        self.referee.close()
        await self.ledger.close()


OpenHouse = Callable[[Store], House]


@asynccontextmanager
async def houses() -> AsyncIterator[OpenHouse]:
    """Houses over the given stores; at the end they are closed, and no ledger has died."""
    opened: list[House] = []
    deaths: list[BaseException] = []

    def open_house(store: Store) -> House:
        opened.append(House(store, deaths))
        return opened[-1]

    yield open_house
    async with asyncio.timeout(DEADLINE_S):
        for house in opened:
            await house.close()
    assert deaths == []


async def passed(moment: float) -> None:
    """Wait until the clock on the wall says so: for clocks that have to run out there is nothing else to wait for."""
    while time.monotonic() <= moment:
        await asyncio.sleep(0.01)
