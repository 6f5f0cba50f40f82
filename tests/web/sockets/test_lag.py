"""How slow a player's line is, from the round trips of pings."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from channels.testing import WebsocketCommunicator

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Pause, Resign, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import replay
from arena.match.state import SeatSetup, Setup
from arena.play import lost_time
from arena.routing import websockets
from arena.server.text_frame import MEASURE
from arena.web.sockets.lag import Lag
from tests.core.test_hub import NOW
from tests.kit.browsing import Person, two_people
from tests.kit.deadline import DEADLINE_S
from tests.web.sockets.test_consumers import Socket

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def without_stalls(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine turns lose time for other reasons too."""
    monkeypatch.setattr(lost_time, "STALL_S", DEADLINE_S)


class Line:
    """Of a page: `pings` is how many went out, `answer` brings a pong."""

    def __init__(self) -> None:
        self.pings = self.changes = 0
        self._hears: Callable[[int], None] = lambda ms: None
        self.lag = Lag(self.ping, self._changed)

    def answer(self, *trips_ms: int) -> int:
        for ms in trips_ms:
            self._hears(ms)
        return self.lag.ms

    def ping(self, hears: Callable[[int], None]) -> None:
        self.pings += 1
        self._hears = hears

    def _changed(self) -> None:
        self.changes += 1


@asynccontextmanager
async def on_a_line(person: Person, live: LiveMatch) -> AsyncIterator[tuple[Socket, Line]]:
    """Their page, whose websocket measures."""
    headers = [(b"host", b"testserver"), (b"origin", b"http://testserver"), (b"cookie", person.cookies.encode())]
    line, communicator = Line(), WebsocketCommunicator(websockets, f"/ws/m/{live.id}/", headers=headers)
    communicator.scope["extensions"] = {MEASURE: line.ping}
    assert (await communicator.connect(timeout=DEADLINE_S))[0]
    try:
        yield Socket(communicator, 0), line
    finally:
        await communicator.disconnect(timeout=DEADLINE_S)


def a_match(clock: str, *commands: Start | Pause | Resign) -> LiveMatch:
    setup = Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob")), clock=clock)
    events = [*open_match(setup, NOW)]
    for command in commands:
        events += decide(replay(events), command, NOW)
    return LiveMatch("m1", replay(events), events)


def test_the_fastest_of_the_newest_round_trips_counts_in_steps() -> None:
    line = Line()
    line.lag.follow(a_match("1m", Start()), 0)
    assert line.lag.ms == 0, "nothing is known yet"
    assert line.answer(349) == 300
    assert line.answer(900, 320) == 300
    assert line.answer(900) == 300 and line.answer(900) == 300, "two of the last three"
    assert line.answer(900) == 900
    assert line.answer(49) == 0 and line.answer(-5) == 0
    assert line.changes == 3


def test_few_pings_go_out_and_only_while_a_clock_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    line = Line()
    for live in (a_match("none", Start()), a_match("1m"), a_match("1m", Start(), Pause("lunch", "ada"))):
        line.lag.follow(live, 0)
    line.lag.follow(a_match("1m", Start(), Resign(0)), 0)
    assert line.pings == 0
    running = a_match("1m", Start())
    for _ in range(100):
        line.lag.follow(running, 0)
        now += 0.1
    assert line.pings == 4


def lost_ms(live: LiveMatch) -> int:
    """How much of the running turn nobody will be charged for, as it is now."""
    return round(live.turn.lost_s(math.inf) * 1000)


async def test_the_line_of_a_player_is_measured_and_shown_and_given_back_from_the_next_turn_on(
    host: Host, without_stalls: None
) -> None:
    live, first, second = await two_people(host, clock="5m")
    async with on_a_line(first, live) as (page, line), on_a_line(Person(), live) as (watcher, other):
        assert "Slow line" not in await page.text() + await watcher.text()
        assert (line.pings, other.pings) == (1, 0), "watchers are not measured"
        line.answer(320)
        words = "Slow line: 300 ms, given back"
        assert words in await page.text() and words in await watcher.text(), "before anybody moves"
        assert lost_ms(live) == 0, "this turn has begun"
        await first.play(live, "4")
        assert lost_ms(live) == 0, "that of the other"
        await second.play(live, "4")
        assert lost_ms(live) == 300
        assert words in await page.until('id="m-2"') and words in await watcher.until('id="m-2"')
    await first.play(live, "4")
    await second.play(live, "4")
    assert lost_ms(live) == 0, "their page has gone"


async def test_without_a_clock_nobody_is_measured(host: Host) -> None:
    live, first, _ = await two_people(host)
    async with on_a_line(first, live) as (page, line):
        await page.text()
        assert line.pings == 0
