"""A server whose file descriptors strangers take: who plays goes on, who comes is told, and the log stays short."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import resource
import socket
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import games
from arena.common.descriptors import WORDS
from tests.kit.clients import Droidcon
from tests.kit.crowd import quiet_move
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server, migrate
from tests.kit.until import asked_until, until
from tests.kit.visiting import Visitor

SPARE = 60
MOST_HELD = 300


async def play_on(wire: Droidcon, moves: list[str]) -> None:
    """Quiet moves, one after the other, round after round."""
    position = games.variant("connect-four-7x6").start()
    while line := await wire.line():
        if line == "NEW_GAME":
            position = games.variant("connect-four-7x6").start()
        elif line.startswith("PUT "):
            position = position.play(str(int(line[4:]) + 1))
        elif line == "YOUR_MOVE":
            await asyncio.sleep(0.05)
            moves.append(quiet_move(position))
            position = position.play(moves[-1])
            await wire.send(f"PUT {int(moves[-1]) - 1}")


@asynccontextmanager
async def strangers(ports: list[int]) -> AsyncIterator[None]:
    """They connect everywhere again and again, and say nothing."""
    held: deque[socket.socket] = deque()

    async def come() -> None:
        while True:
            for port in ports:
                held.append(socket.socket())
                held[-1].setblocking(False)
                held[-1].connect_ex(("127.0.0.1", port))
                if len(held) > MOST_HELD:
                    held.popleft().close()
            await asyncio.sleep(0.01)

    coming = asyncio.create_task(come())
    try:
        yield
    finally:
        coming.cancel()
        for each in held:
            each.close()


async def refused(port: int, said: bytes) -> bytes:
    """What a stranger is answered who comes now, as soon as there is no room."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            reading, writing = await asyncio.open_connection("127.0.0.1", port)
            try:
                writing.write(said)
                async with asyncio.timeout(1):
                    answer = await reading.read(1000)
                if WORDS.encode() in answer:
                    return answer
            except (OSError, TimeoutError):
                continue  # closed without words, or let in after all
            finally:
                writing.close()


class Kept:
    """A person whose browser holds its one connection, from before the strangers came. `read` is the latest answer."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
        self.read = b""

    async def ask(self, method: str, path: str, *rest: Any) -> http.client.HTTPResponse:
        self._connection.request(method, path, *rest)
        answer = await asyncio.to_thread(self._connection.getresponse)
        self.read = await asyncio.to_thread(answer.read)
        return answer

    async def meanwhile(self, happens: Coroutine[Any, Any, bytes]) -> bytes:
        """What else happens, while this one goes on reading."""
        task = asyncio.create_task(happens)
        while not task.done():
            assert (await self.ask("GET", "/healthz")).status == 200
            await asyncio.sleep(0.2)
        return task.result()

    def close(self) -> None:
        self._connection.close()


async def test_who_plays_goes_on_while_strangers_take_what_is_left(tmp_path: Path) -> None:
    migrate(tmp_path)
    server = Server(tmp_path)
    await server.start()
    assert server._process is not None
    process, door = server._process.pid, server.doors["droidcon"]
    person, kept, moves = Visitor(server.port), Kept(server.port), list[str]()
    await person.get("/")
    try:
        async with Droidcon.to(door) as first, Droidcon.to(door) as second:
            await first.enter("honest", "HONEST")
            await second.enter("true", "HONEST")
            playing = [asyncio.create_task(play_on(wire, moves)) for wire in (first, second)]
            await until(lambda: len(moves) > 4)
            await kept.ask("GET", "/healthz")
            most = len(os.listdir(f"/proc/{process}/fd")) + SPARE
            resource.prlimit(process, resource.RLIMIT_NOFILE, (most, most))
            async with strangers([server.port, *server.doors.values()]):
                page = await kept.meanwhile(refused(server.port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                assert page.startswith(b"HTTP/1.1 503 ") and b"Retry-After" in page
                await kept.meanwhile(refused(door, b""))
                before = len(moves)
                # The first thought needs a new process, and the person's match rows of the database.
                form = {"variant": "connect-four-7x6", "level": "beginner", "move": "4"}
                body = urlencode({**form, "csrfmiddlewaretoken": person.cookies["csrftoken"]})
                headers = {"Cookie": person.cookie, "Content-Type": "application/x-www-form-urlencoded"}
                answer = await kept.ask("POST", "/play/", body, headers)
                assert answer.status == 302, server.said[-3000:]
                match = answer.headers["Location"]
                await until(lambda: len(moves) > before + 10)
                assert not any(task.done() for task in playing)
            log = f"{match}log.json"  # not by a new connection: those that the strangers left may not be counted yet
            await asked_until(
                lambda: kept.ask("GET", log, None, headers), lambda _: len(json.loads(kept.read)["moves"]) == 2
            )
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
    finally:
        kept.close()
        await server.stop()
    assert "Traceback" not in server.said, server.said
    assert 1 <= server.said.count("file descriptors are in use") <= 40
