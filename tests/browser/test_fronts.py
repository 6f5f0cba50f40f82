"""Two servers on one PostgreSQL and one Redis: who is on the front plays with who is on the host."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.heard import Heard
from tests.browser.test_play import Bot, a_match, a_page, at_match, board, insist, log, shows
from tests.kit.processes import Postgres, Redis
from tests.kit.server import Server, migrate
from tests.kit.visiting import Visitor

_numbers = itertools.count(1)


class Two:
    """A host, its front, and what they share."""

    def __init__(self, host: Server, front: Server, redis: Redis) -> None:
        self.host, self.front, self.redis = host, front, redis


@pytest.fixture(scope="session")
def tables(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a database with tables, to be copied: making them takes seconds."""
    name = "tables"
    migrate(tmp_path_factory.mktemp("tables"), DATABASE_URL=postgres.create(name))
    return name


@asynccontextmanager
async def serving(postgres: Postgres, tables: str, data: Path) -> AsyncIterator[Two]:
    redis = Redis()
    redis.start()
    shared = {"DATABASE_URL": postgres.create(f"arena{next(_numbers)}", like=tables), "REDIS_URL": redis.url}
    host, front = (Server(data, **shared) for _ in range(2))
    await host.start()
    await front.start()
    yield Two(host, front, redis)
    for server in (front, host):
        await server.stop()
    redis.stop()
    assert host.complaints == front.complaints == []


@pytest_asyncio.fixture(loop_scope="session")
async def two(postgres: Postgres, tables: str, tmp_path: Path) -> AsyncIterator[Two]:
    async with serving(postgres, tables, tmp_path) as both:
        yield both


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lasting(postgres: Postgres, tables: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Two]:
    """For tests after which both still serve."""
    async with serving(postgres, tables, tmp_path_factory.mktemp("lasting")) as both:
        yield both


async def seated(browser: Browser, two: Two, code: str) -> tuple[Page, Page, Bot]:
    """A person on the front, a watcher on the host, and a bot on its socket, in one match."""
    bot = await Bot.join(two.host, code)
    page = await a_page(browser, two.front, f"/r/{code}/")
    await page.click("text=Sit down")
    await at_match(page)
    watcher = await a_page(browser, two.host, page.url.removeprefix(two.front.address))
    return page, watcher, bot


async def test_a_person_on_the_front_plays_a_bot_on_the_host(browser: Browser, lasting: Two) -> None:
    assert "Front of" in lasting.front.said and "Bots" not in lasting.front.said
    page, watcher, bot = await seated(browser, lasting, "across")
    for ply, column in enumerate((3, 4, 3, 4, 3, 4), 1):
        if ply % 2:
            await bot.until("YOUR_MOVE")
            bot.say(f"PUT {column}")
            await shows(page, ply)
        else:
            await insist(page, column + 1, ply)
        await shows(watcher, ply)
        assert await board(page) == await board(watcher)
    bot.close()


async def test_the_front_takes_over_when_the_host_is_killed(browser: Browser, two: Two) -> None:
    page = await a_match(browser, two.front)
    before = (await log(page))["moves"]
    net = await Heard.on(page, "#net")
    await two.host.kill()
    await net.until(".")
    await expect(page.locator("#net")).to_be_hidden()
    await insist(page, 3, 4)
    assert (await log(page))["moves"][:2] == before
    await two.front.until_said("Bots       droidcon")  # the doors are open there now
    two.front.doors, two.host.doors = two.host.doors, two.front.doors
    bot = await Bot.join(two.host, "afterwards")
    bot.close()
    await two.host.start()
    assert "Front of" in two.host.said, "who comes back is a front"


async def test_redis_restarts_in_mid_match(browser: Browser, lasting: Two) -> None:
    page, watcher, bot = await seated(browser, lasting, "redis")
    await bot.until("YOUR_MOVE")
    bot.say("PUT 3")
    await shows(page, 1)
    await asyncio.to_thread(lasting.redis.stop)
    await asyncio.to_thread(lasting.redis.start)
    await insist(page, 4, 2)
    await bot.until("YOUR_MOVE")
    bot.say("PUT 3")
    await shows(page, 3)
    await shows(watcher, 3)
    assert await board(page) == await board(watcher)
    bot.close()


async def test_postgres_restarts_in_mid_match(browser: Browser, lasting: Two, postgres: Postgres) -> None:
    page, watcher, bot = await seated(browser, lasting, "postgres")
    await bot.until("YOUR_MOVE")
    await asyncio.to_thread(postgres.stop)
    bot.say("PUT 3")  # waits for the log
    await asyncio.to_thread(postgres.start)
    await shows(page, 1)
    await insist(page, 4, 2)
    await bot.until("YOUR_MOVE")
    bot.say("PUT 3")
    await shows(page, 3)
    await shows(watcher, 3)
    assert await board(page) == await board(watcher)
    bot.close()


async def test_a_stream_over_the_front_tells_what_happens_and_ends_with_the_host(two: Two) -> None:
    """Lines come one by one, as over the host itself; when it stops the last one says so, and nothing is cut off."""
    guest = Visitor(two.host.port)
    await guest.get("/")
    connection = http.client.HTTPConnection("127.0.0.1", two.front.port, timeout=60)
    connection.request("GET", "/api/stream/lobby/", headers={"Connection": "close"})
    stream = connection.getresponse()
    assert json.loads(await asyncio.to_thread(stream.readline))["type"] == "lobby"
    begun = await guest.post("/play/", variant="connect-four-7x6", level="beginner", move="4")
    told = await next_line(stream)
    assert (told["type"], told["page"]) == ("started", begun.headers["Location"])
    refused = await Visitor(two.front.port).get(f"/api/stream/matches/{told['match']}/?since=999")
    assert refused.status == 400 and "events so far" in refused.text
    await two.host.stop()
    assert (await next_line(stream))["type"] == "closed"
    assert await asyncio.to_thread(stream.read) == b""
    stream.close()


async def test_a_stream_over_a_front_ends_in_order_when_the_front_stops(two: Two) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", two.front.port, timeout=60)
    connection.request("GET", "/api/stream/lobby/", headers={"Connection": "close"})
    stream = connection.getresponse()
    assert (await next_line(stream))["type"] == "lobby"
    await two.front.stop()
    rest = await asyncio.to_thread(stream.read)  # IncompleteRead where the last chunk is missing
    assert [json.loads(line)["type"] for line in rest.splitlines() if line] == ["closed"]
    stream.close()


async def next_line(stream: http.client.HTTPResponse) -> dict[str, Any]:
    """The next line that is not empty."""
    while True:
        line = await asyncio.to_thread(stream.readline)
        assert line, "the stream has ended"
        if line.strip():
            return dict(json.loads(line))


async def test_without_redis_a_second_server_says_what_is_missing(lasting: Two) -> None:
    alone = Server(lasting.host.data, DATABASE_URL=lasting.host.setting("DATABASE_URL"))
    with pytest.raises(AssertionError):
        await alone.start()
    assert "REDIS_URL" in alone.said and len(alone.said.splitlines()) == 1
