"""The cost of a front: how much later a watcher on it sees a move than a watcher on the host, and the time of a page.

Host and front are two `manage.py serve` on a PostgreSQL and a Redis of the bench's own. This process reads for both
watchers, so their times come from one clock.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.kit.processes import Postgres, Redis
from tests.kit.server import Server, migrate
from tools.bench.figures import Figure

# Watchers get at most one frame in 50 ms.
PAUSE_S = 0.07
SEQ = re.compile(r'data-seq="(\d+)"')


def run(moves: int = 90, pages: int = 50) -> Iterator[Figure]:
    postgres, redis = Postgres(), Redis()
    postgres.start()
    redis.start()
    try:
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            yield from asyncio.run(_measured(Path(folder), postgres.create("bench"), redis.url, moves, pages))
    finally:
        redis.stop()
        postgres.stop()
        postgres.remove()


async def _measured(folder: Path, database: str, redis: str, moves: int, pages: int) -> list[Figure]:
    settings = {"DATABASE_URL": database, "REDIS_URL": redis}
    migrate(folder, **settings)
    host, front = Server(folder, **settings), Server(folder, **settings)
    await host.start()
    await front.start()
    try:
        later = await _later_ms(host, front, moves)
        at_host, at_front = await _page_ms(host, pages), await _page_ms(front, pages)
    finally:
        await front.stop()
        await host.stop()
    slowest = quantiles(later, n=100)[98] if len(later) > 1 else later[0]
    return [
        Figure("ms later at the front, median", median(later), 100.0, f"{slowest:.1f} in 99 of 100", at_most=True),
        Figure("home page, front / host", at_front / at_host, None, f"{at_front:.1f} and {at_host:.1f} ms"),
    ]


async def _later_ms(host: Server, front: Server, moves: int) -> list[float]:
    """How much later each move of a match of Nim reached the watcher on the front."""
    match: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    bots = [asyncio.create_task(_play(host.doors["native"], name, match)) for name in ("ada", "ben")]
    path = f"/ws/m/{await match}/"
    seen: list[dict[int, float]] = [{}, {}]
    watchers = [asyncio.create_task(_watch(*pair, path)) for pair in zip((host, front), seen, strict=True)]
    while any(len(times) < moves for times in seen) and not all(bot.done() for bot in bots):
        await asyncio.wait(bots, timeout=0.1)
    for task in (*bots, *watchers):
        task.cancel()
    await asyncio.gather(*bots, *watchers, return_exceptions=True)
    return [(seen[1][seq] - seen[0][seq]) * 1000 for seq in sorted(seen[0].keys() & seen[1].keys())]


async def _play(port: int, name: str, match: asyncio.Future[str]) -> None:
    """Meet any opponent, and take one stone a move, slowly enough for a frame each."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    def say(**message: Any) -> None:
        writer.write(json.dumps(message).encode() + b"\n")

    say(type="hello", name=name)
    say(type="queue", variant="expanding-nim")
    while line := await reader.readline():
        said = json.loads(line)
        if said["type"] == "seat" and not match.done():
            match.set_result(said["match"])
        if said["type"] == "turn":
            await asyncio.sleep(PAUSE_S)
            say(type="move", ply=said["ply"], move="1")
    writer.close()


async def _watch(server: Server, times: dict[int, float], path: str) -> None:
    """The time at which each event was shown."""
    address = f"ws://127.0.0.1:{server.port}{path}"
    async with connect(address, origin=Origin(server.address)) as socket:
        async for frame in socket:
            if found := SEQ.search(str(frame)):
                times.setdefault(int(found[1]), time.perf_counter())


async def _page_ms(server: Server, pages: int) -> float:
    return median([await asyncio.to_thread(_get_ms, server.address + "/") for _ in range(pages)])


def _get_ms(address: str) -> float:
    begin = time.perf_counter()
    with urllib.request.urlopen(address, timeout=30) as answer:
        answer.read()
    return (time.perf_counter() - begin) * 1000
