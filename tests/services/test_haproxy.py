"""The proxy for bots of docs/deploy/haproxy.cfg: a real HAProxy with that file, addresses and ports replaced."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from arena.protocols import protocols
from tests.kit.clients import Droidcon
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import Postgres, Redis, until_open
from tests.kit.server import Server, share_files
from tests.kit.until import asked_until
from tests.kit.workers import template

FILE = Path(__file__).parents[2] / "docs" / "deploy" / "haproxy.cfg"
# Servers that listen on the same ports have addresses of their own, and HAProxy listens on another one.
ADDRESSES = {"one": "127.0.0.2", "two": "127.0.0.3"}


class Balanced:
    """Two servers of one arena, the first one its host, behind HAProxy, where bots come to `port`."""

    def __init__(self, folder: Path, redis: Redis, database: str) -> None:
        pages, self.port = free_port(), free_port()
        self._folder, self._pages = folder, pages
        self._haproxy: subprocess.Popen[bytes] | None = None
        self.servers, self._started = list[Server](), list[Server]()
        for address in ADDRESSES.values():
            names = f"127.0.0.1 {address}"
            server = Server(folder, DATABASE_URL=database, REDIS_URL=redis.url, ALLOWED_HOSTS=names)
            server.port, server.doors = pages, {**dict.fromkeys(protocols(), 0), "droidcon": self.port}
            server.arguments = ("--host", address, "--bots-host", address)
            self.servers.append(server)

    async def start(self) -> None:
        for server in self.servers:
            await server.start()
            self._started.append(server)
        haproxy = shutil.which("haproxy", path="/usr/sbin:/sbin:/usr/local/sbin:/usr/bin")
        assert haproxy, "haproxy is not installed here: `make test` installs it where that is allowed"
        config = self._folder / "haproxy.cfg"
        config.write_text(self._replaced(FILE.read_text(encoding="utf-8")), encoding="utf-8")
        self._haproxy = subprocess.Popen([haproxy, "-q", "-f", str(config)], env={"ARENA_NAME": "127.0.0.1"})
        await asyncio.to_thread(until_open, self.port)

    def _replaced(self, shown: str) -> str:
        """The file for these servers: one port for bots instead of all, and no third server."""
        shown, count = re.subn(r"(    bind :.+\n)+", f"    bind 127.0.0.1:{self.port}\n", shown)
        assert count == 1 and "check port 8000" in shown
        shown = shown.replace("check port 8000", f"check port {self._pages}").replace("    server three three\n", "")
        for name, address in ADDRESSES.items():
            assert f"server {name} {name}\n" in shown
            shown = shown.replace(f"server {name} {name}\n", f"server {name} {address}\n")
        return shown

    async def series(self, room: str) -> list[list[str]]:
        """What two bots hear that come through HAProxy and play a series; it begins as soon as it lets them in."""
        async with AsyncExitStack() as stack:
            bots = [await asked_until(partial(self._entered, stack, name, room), bool) for name in ("ada", "bob")]
            async with asyncio.timeout(DEADLINE_S):
                return list(await asyncio.gather(*(bot.play_anything() for bot in bots if bot)))

    async def _entered(self, stack: AsyncExitStack, name: str, room: str) -> Droidcon | None:
        """None if HAProxy knows no host yet, or none any more: it closes at once."""
        bot = await stack.enter_async_context(Droidcon.to(self.port))
        try:
            await bot.enter(name, room)
        except (AssertionError, OSError):
            return None
        return bot

    async def stop(self) -> None:
        if self._haproxy is not None:
            self._haproxy.terminate()
            self._haproxy.wait(DEADLINE_S)
        for server in reversed(self._started):
            await server.stop()


@pytest.fixture
async def balanced(tmp_path: Path, postgres: Postgres, redis: Redis) -> AsyncIterator[Balanced]:
    database = await asyncio.to_thread(postgres.create, "balanced", template(postgres, tmp_path))
    found = Balanced(tmp_path / "data", redis, database)
    (tmp_path / "data").mkdir()
    share_files(tmp_path / "data")
    try:
        await found.start()
        yield found
    finally:
        await found.stop()


async def test_bots_find_the_host_and_the_next_one_after_it_was_killed(balanced: Balanced) -> None:
    one, two = balanced.servers
    for room in ("first", "second"):
        heard = await balanced.series(room)
        assert [sum(line.startswith("YOU_") and line != "YOUR_MOVE" for line in lines) for lines in heard] == [4, 4]
        if room == "first":
            assert "Front of" in two.said
            await one.kill()
            await two.until_said("Bots       droidcon")
