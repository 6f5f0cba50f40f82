"""Two servers on one PostgreSQL and one Redis: who is on the front plays with who is on the host."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from django.conf import settings
from django.test import override_settings
from playwright.async_api import Browser, expect

from arena.web.system.static_files import version
from tests.browser.heard import Heard
from tests.browser.test_play import ROOM, Bot, a_match, a_page, at_match, board, insist, led_to, log, my_turn, shows
from tests.kit.bridging import bridge
from tests.kit.clients import Droidcon
from tests.kit.commands import finished, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import Postgres, Redis
from tests.kit.proxying import Balanced
from tests.kit.samples import FOLDER
from tests.kit.server import ROOT, Server, migrate, seed_files, share_files
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
    share_files(data)
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


async def test_a_person_on_the_front_plays_a_bot_on_the_host_while_redis_and_postgres_restart(
    browser: Browser, lasting: Two, postgres: Postgres
) -> None:
    """A watcher on the host sees the same board after every move."""
    assert "Front of" in lasting.front.said and "Bots" not in lasting.front.said
    bot = await Bot.join(lasting.host, "across")
    page = await a_page(browser, lasting.front, "/r/across/")
    await page.click("text=Sit down")
    await at_match(page)
    watcher = await a_page(browser, lasting.host, page.url.removeprefix(lasting.front.address))

    async def told(column: int) -> None:
        await bot.until("YOUR_MOVE")
        bot.say(f"PUT {column}")

    async def seen(ply: int) -> None:
        await shows(page, ply)
        await shows(watcher, ply)
        assert await board(page) == await board(watcher)

    await told(3)
    await seen(1)
    await insist(page, 5, 2)
    await seen(2)
    await told(3)
    await seen(3)
    await asyncio.to_thread(lasting.redis.stop)
    await asyncio.to_thread(lasting.redis.start)
    await insist(page, 5, 4)
    await told(3)
    await seen(5)
    await insist(page, 4, 6)
    await bot.until("YOUR_MOVE")
    readers = [Visitor(server.port) for server in (lasting.host, lasting.front)]
    assert [(await reader.get("/t/")).status for reader in readers] == [200, 200]
    await asyncio.to_thread(postgres.stop)
    bot.say("PUT 0")  # waits for the log
    await asyncio.to_thread(postgres.start)
    await shows(page, 7)
    await insist(page, 5, 8)
    await told(0)
    await seen(9)
    assert [(await reader.get("/t/")).status for reader in readers] == [200, 200], "no connection stays broken"
    bot.close()


async def test_the_front_takes_over_when_the_host_is_killed_and_a_stream_over_the_next_front_ends_with_it(
    browser: Browser, two: Two
) -> None:
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
    await _tells_what_happens_and_ends_with_the_host(host=two.front, front=two.host)


async def _tells_what_happens_and_ends_with_the_host(host: Server, front: Server) -> None:
    """A stream over the front: lines come one by one, as over the host itself; when that stops the last one says so,
    and nothing is cut off."""
    guest = Visitor(host.port)
    await guest.get("/")
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=60)
    connection.request("GET", "/api/stream/lobby/", headers={"Connection": "close"})
    stream = connection.getresponse()
    assert json.loads(await asyncio.to_thread(stream.readline))["type"] == "lobby"
    begun = await guest.post("/play/", variant="connect-four-7x6", level="beginner", move="4")
    told = await next_line(stream)
    assert (told["type"], told["page"]) == ("started", begun.headers["Location"])
    refused = await Visitor(front.port).get(f"/api/stream/matches/{told['match']}/?since=999")
    assert refused.status == 400 and "events so far" in refused.text
    await host.stop()
    assert (await next_line(stream))["type"] == "closed"
    assert await asyncio.to_thread(stream.read) == b""
    stream.close()


async def test_another_version_takes_over_from_a_drained_host_and_nobody_loses(
    browser: Browser, postgres: Postgres, tables: str, tmp_path: Path
) -> None:
    """A person and a bot behind the bridge go on where they stood, without a clock; two bots by a clock play it out."""
    redis = Redis()
    redis.start()
    shared = {"DATABASE_URL": postgres.create(f"arena{next(_numbers)}", like=tables), "REDIS_URL": redis.url}
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    share_files(tmp_path / "old")
    old, new = Server(tmp_path / "old", **shared), Server(tmp_path / "new", **shared)
    new.root, new.doors = another_version(tmp_path / "checkout", new.data), old.doors
    old.arguments = ("--clock", "droidcon=1h")
    async with AsyncExitStack() as ends, Balanced.between(tmp_path, old, new) as address, AsyncExitStack() as stack:
        ends.callback(redis.stop)
        await old.start()
        ends.push_async_callback(old.stop)
        person = await a_page(browser, address, "/r/new/")
        await person.click("text=Create the link")
        code = (await led_to(person, ROOM)).url.split("/")[-2]
        local = str(free_port())
        program = [sys.executable, str(FOLDER / "native" / "bot.py"), "gravity-9", "127.0.0.1", local, code]
        behind = ("--forever", "--fresh", "--listen", local)
        bridged = await stack.enter_async_context(bridge(old.doors["native"], *behind, bot=program))
        await at_match(person)
        await my_turn(person)
        await insist(person, 1, ply := len((await log(person))["moves"]) + 2)
        await person.evaluate("window.stays = true")
        before = (await log(person))["moves"]
        async with Droidcon.to(old.doors["droidcon"]) as ada, Droidcon.to(old.doors["droidcon"]) as bob:
            await ada.enter("ada", "lab")
            await bob.enter("bob", "lab")
            await new.start()
            ends.push_async_callback(new.stop)
            assert "Front of" in new.said and await style_of(new) != await style_of(old)
            draining = await start(tmp_path, "drain", **shared)
            await old.until_said("draining: 1 matches")
            async with asyncio.timeout(DEADLINE_S):
                await asyncio.gather(ada.play_anything(), bob.play_anything())
        assert await old.ends() == 0 and (await finished(draining))[0] == 0
        await bridged.says("connected", 2)
        await insist(person, 1, ply + 2)
        after = await log(person)
        assert after["moves"][:ply] == before and after["termination"] is None
        assert await person.evaluate("window.stays"), "the page has not been loaded again"
        (ended,) = json.loads((await Visitor(address.port).get("/api/matches/?state=ended")).text)["matches"]
        assert ended["termination"] == "normal"
    assert old.complaints == new.complaints == address.complaints == []


def another_version(folder: Path, data: Path) -> Path:
    """A checkout of its own that differs in one byte of what pages load, and so in its version, which starts in `data`.
    What is the same in both is not compiled, compressed and built again: 5 s of processor.
    """
    for name in ("arena", "games", "static", "templates", "docs", "locale"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    with (folder / "static" / "css" / "tokens.css").open("a") as file:
        file.write("/* another version */\n")
    with override_settings(STATICFILES_DIRS=[folder / "static", *settings.STATICFILES_DIRS[1:]]):
        seed_files(data, version.__wrapped__())
    return folder


async def style_of(server: Server) -> str:
    """The address of what its pages look like, which is another one for each version."""
    found = re.search(r'rel="stylesheet" href="([^"]+)"', (await Visitor(server.port).get("/")).text)
    assert found, "a page has a style"
    return found[1]


@pytest.mark.cases(0)
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
