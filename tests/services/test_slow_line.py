"""People behind a slow line, over TCP: what the server measures, shows and gives back, and that it gives no more."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.typing import Origin

from arena.match import record
from arena.match.state import LogEvent
from arena.match.turn import MOST_LAG_MS
from tests.browser.boards import a_match_of
from tests.kit.proxying import SlowLine
from tests.kit.server import Server, migrate
from tests.kit.sockets import connect
from tests.kit.until import asked_until
from tests.kit.visiting import Visitor

pytestmark = pytest.mark.service

HELD_S, PONG_S = 0.15, 2.0
HELD_MS = round(2 * HELD_S * 1000)
SHOWN = re.compile(r"Slow line: (\d+) ms, (?:(\d+) )?given back")


@asynccontextmanager
async def served(folder: Path, pages: int) -> AsyncIterator[Server]:
    migrate(data := folder / "data")
    server = Server(data)
    server.tell(ARENA_PAGES=str(pages))
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def page_of(visitor: Visitor, match: str) -> Any:
    """The websocket of their page."""
    address = f"ws://127.0.0.1:{visitor.port}/ws{match}?have=0"
    origin = Origin(f"http://127.0.0.1:{visitor.port}")
    return connect(address, origin=origin, additional_headers={"Cookie": visitor.cookie}, max_queue=None)


async def move(page: ClientConnection, ply: int) -> None:
    """Play when the page shows the move before, and wait until it is played."""
    if ply > 1:
        await shows(page, ply - 1)
    await page.send(json.dumps({"ply": str(ply), "move": "4"}))
    await shows(page, ply)


async def shows(page: ClientConnection, ply: int) -> None:
    while f'id="m-{ply}"' not in str(await page.recv()):
        pass


async def shown(visitor: Visitor, match: str) -> tuple[int, str]:
    """What stands beside the clock of a slow line, as soon as it does: its round trip, and how much is given back."""

    async def looked() -> list[tuple[str, str]]:
        return SHOWN.findall((await visitor.get(match)).text)

    (found,) = await asked_until(looked, bool)
    return int(found[0]), found[1]


async def played(server: Server, line: SlowLine) -> tuple[tuple[int, str], list[LogEvent]]:
    """Some moves of somebody behind this line and of a quick one: what was shown beside the first one's clock once it
    was known, and the moves from then on, as the record of the match has them, which is verified.
    """
    slow, quick = Visitor(line.port), Visitor(server.port)
    match = await a_match_of([slow, quick], variant="connect-four-7x6", clock="3m")
    async with page_of(slow, match) as mine, page_of(quick, match) as other:
        await move(mine, 1)
        told = await shown(quick, match)
        for ply in (2, 4):
            await move(other, ply)
            await move(mine, ply + 1)
    await quick.post(f"{match}resign/")
    judged = record.verify((await quick.get(f"{match}record.jsonl")).text.encode())
    return told, [event for event in judged.events if event.kind == "move" and (event.ply or 0) > 1]


def given_back(move: LogEvent) -> int:
    return int(move.data.get("given_back_ms", 0))


@pytest.mark.parametrize("pages", [0, 1], ids=["host", "page worker"])
async def test_who_is_behind_a_slow_line_gets_back_what_it_takes(tmp_path: Path, pages: int) -> None:
    async with served(tmp_path, pages) as server, SlowLine.to(server, tmp_path, HELD_S) as line:
        (trip_ms, bounded), moves = await played(server, line)
    assert trip_ms >= HELD_MS and bool(bounded) == (trip_ms > MOST_LAG_MS)
    for move in moves:
        used = (move.elapsed_ms or 0) - given_back(move)
        if move.seat == 0:
            assert (move.elapsed_ms or 0) >= HELD_MS <= given_back(move), "it was on its way for so long"
        assert used >= 0
    paid = sum((move.elapsed_ms or 0) - given_back(move) for move in moves if move.seat == 0)
    first, last = (move.left0_ms or 0 for move in (moves[0], moves[-1]))
    assert first - last == paid


async def test_who_only_answers_pings_late_gains_no_more_than_the_bound_and_everybody_sees_it(tmp_path: Path) -> None:
    async with served(tmp_path, 0) as server, SlowLine.to(server, tmp_path, HELD_S * 2, PONG_S) as line:
        told, moves = await played(server, line)
    assert told[0] >= PONG_S * 1000 and told[1] == str(MOST_LAG_MS)
    for move in moves[1::2]:
        assert MOST_LAG_MS <= given_back(move) <= (move.elapsed_ms or 0)
