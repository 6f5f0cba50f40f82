"""`serve` as people run it, with a page worker: who answers what, and what a visitor sees when a worker stops."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests.kit.commands import environment, finished, manage, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import migrate
from tests.kit.sockets import connect
from tests.kit.until import asked_until, until
from tests.kit.visiting import Visitor

pytestmark = [pytest.mark.service, pytest.mark.asyncio(loop_scope="module")]

FROM_ROWS = {
    "/": 200, "/watch/": 200, "/bots/": 200, "/protocols/": 200, "/protocols/native/": 200, "/r/new/": 200,
    "/bots/connect/": 200, "/login/": 200, "/api/bots/": 200, "/about/": 200,
    "/nothing/": 404, "/@/nobody/": 404, "/rank/": 200, "/t/": 200, "/games/": 200, "/api/": 200,
    "/api/matches/": 200, "/api/tournaments/": 200, "/m/{match}/": 200, "/m/{match}/?ply=1": 200,
    "/m/{match}/log.json": 200, "/m/{match}/log.txt": 200, "/api/matches/{match}/": 200,
}  # fmt: skip

SEATS = ("builtin:random", "builtin:random")

# In the surroundings of a worker, beside a server that runs.
WORKER = """
import django
django.setup()
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError, transaction
from arena.models import Player
session = SessionStore()
session["player"] = 7
session.save()
print(SessionStore(session.session_key)["player"])
session.flush()
try:
    Player.objects.create(kind="guest", name="Bob", slug="bob")
except OperationalError as error:
    print(error)
with transaction.atomic():  # waits for nobody
    print(Player.objects.filter(slug="bob").count())
"""


class Server:
    """`serve`, and a visitor with cookies."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, folder: Path, match: str) -> None:
        self.process = process
        self.folder, self.match = folder, match
        self.port = port
        self.site = f"http://127.0.0.1:{port}"
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))

    async def get(self, path: str, data: dict[str, str] | None = None) -> tuple[int, str]:
        """Status and text, redirects followed."""
        return await asyncio.to_thread(self._get, path, data)

    def _get(self, path: str, data: dict[str, str] | None) -> tuple[int, str]:
        body = None if data is None else urlencode(data).encode()
        request = Request(self.site + path, body, {"Referer": self.site + path})
        try:
            with self._opener.open(request, timeout=DEADLINE_S) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    async def asked(self, method: str) -> int:
        """How many requests of this method the process that referees has had."""
        _, text = await self.get("/metrics")
        found = re.search(rf'^arena_requests_total{{method="{method}"}} (\d+)', text, re.MULTILINE)
        return int(found[1]) if found else 0

    async def until_a_worker_serves(self) -> None:
        """It is asked again and again until somebody else than the process that referees answers."""
        await asked_until(self._is_answered_by_a_worker, bool)

    async def _is_answered_by_a_worker(self) -> bool:
        before = await self.asked("GET")
        await self.get("/about/")
        return await self.asked("GET") == before

    def workers(self) -> list[int]:
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
        found: list[int] = []
        for each in children:
            with suppress(FileNotFoundError, ProcessLookupError):  # it has ended since
                if "page_worker" in Path(f"/proc/{each}/cmdline").read_text(encoding="utf-8"):
                    found.append(each)
        return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    tmp_path = tmp_path_factory.mktemp("served")
    await asyncio.to_thread(migrate, tmp_path)
    played = await asyncio.to_thread(manage, tmp_path, "match", "connect-four-7x6", *SEATS, "--save", "--json")
    match = json.loads(played.stdout.splitlines()[0])["id"]
    process = await start(tmp_path, "serve", "--port", "0", "--no-doors", ARENA_PAGES="")  # as nobody has set it
    assert process.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        found = re.search(r":(\d+)/", (await process.stdout.readline()).decode())
        while await process.stdout.readline() != b"Ready\n":
            pass
    assert found
    yield Server(process, int(found[1]), tmp_path, match)
    if process.returncode is None:
        process.kill()
    await process.communicate()


async def test_a_running_match_is_shown_and_played_over_a_worker(server: Server) -> None:
    """Two people and a watcher: the process that referees makes no page for them and holds none of their sockets."""
    await server.until_a_worker_serves()
    ada, ben = Visitor(server.port), Visitor(server.port)
    for each in (ada, ben):
        await each.get("/r/new/")
    code = (await ada.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")).headers["Location"]
    page = (await ben.post(f"{code}sit/")).headers["Location"]
    before = await server.asked("GET")
    for path in (page, f"{page}board/?ply=0", f"{page}live/", f"{page}log.json"):
        assert (await ben.get(path)).status in (200, 302), path
    async with _on(server, page, ada) as one, _on(server, page, ben) as two, _on(server, page) as watcher:
        await one.send(json.dumps({"ply": "1", "move": "4"}))
        await _heard(one, 'id="m-1"')
        assert "Your turn" in await _heard(two, 'id="m-1"')
        assert "Blue to move" in await _heard(watcher, 'id="m-1"')
        # A worker tells its host at intervals how many look on.
        await asked_until(
            lambda: server.get("/metrics"), lambda answer: 'arena_viewers{audience="watcher"} 1' in answer[1]
        )
        [worker] = server.workers()
        os.kill(worker, signal.SIGKILL)
        for socket in (one, two, watcher):
            with pytest.raises(ConnectionClosed):
                await _heard(socket, "nothing that is said")
    await until(lambda: server.workers() not in ([], [worker]))
    async with _on(server, page, ada) as one, _on(server, page, ben) as two:
        await two.send(json.dumps({"ply": "2", "move": "4"}))
        await _heard(one, 'id="m-2"')
    assert await server.asked("GET") == before, "their pages were made by the worker"


def _on(server: Server, page: str, visitor: Visitor | None = None) -> Any:
    headers = {"Cookie": visitor.cookie} if visitor is not None else {}
    address = f"ws://127.0.0.1:{server.port}/ws{page}"
    return connect(address, origin=server.site, additional_headers=headers)


async def _heard(socket: ClientConnection, part: str) -> str:
    others: list[str] = []
    try:
        async with asyncio.timeout(DEADLINE_S):
            while part not in (text := str(await socket.recv())):
                others.append(text)
    except TimeoutError:
        raise AssertionError(f"{part} did not come; what came last: {others[-2:]}") from None
    return text


async def test_pages_acts_and_the_death_of_a_worker(server: Server) -> None:
    await server.until_a_worker_serves()
    [worker] = server.workers()
    for path, status in FROM_ROWS.items():
        await _is_made_from_rows(server, path.format(match=server.match), status)
    await _signs_up(server)

    surroundings = environment(server.folder) | {"ARENA_PAGE_WORKER": "1"}
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", WORKER], env=surroundings, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["7", "attempt to write a readonly database", "0"], done.stderr

    os.kill(worker, signal.SIGKILL)
    assert (await server.get("/about/"))[0] == 200
    await until(lambda: server.workers() not in ([], [worker]))
    [worker] = server.workers()
    os.kill(worker, signal.SIGSTOP)
    assert (await server.get("/about/"))[0] == 200, "nobody waits for a worker that hangs"
    os.kill(worker, signal.SIGCONT)
    assert "Ada" in (await server.get("/settings/"))[1]

    await _said_goodbye(server)


async def _is_made_from_rows(server: Server, path: str, status: int) -> None:
    """No page that rows can answer is made where matches are refereed, but while a busy machine keeps the worker from
    saying that it is there: then nobody waits for it.
    """
    for _ in range(3):
        before = await server.asked("GET")
        assert (await server.get(path))[0] == status, path
        if await server.asked("GET") == before:
            return
    raise AssertionError(f"{path} was made where matches are refereed")


async def _signs_up(server: Server) -> None:
    """The form is sent to the host; the page that it leads to shows what was committed."""
    _, page = await server.get("/signup/")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    said = {"name": "Ada", "password": "a long enough secret", "csrfmiddlewaretoken": token[1]}
    before = await server.asked("POST")
    status, page = await server.get("/signup/", said)
    assert status == 200 and "Ada" in page, page
    assert await server.asked("POST") == before + 1
    assert "Ada" in (await server.get("/settings/"))[1]


async def _said_goodbye(server: Server) -> None:
    """A websocket over the worker is closed in order when the server is told to stop, and all processes end."""
    workers = server.workers()
    address = f"ws://127.0.0.1:{server.port}/ws/lobby/"
    async with connect(address, origin=server.site) as browser:
        assert await browser.recv()
        server.process.terminate()
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                await browser.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
    code, _, err = await finished(server.process)
    assert (code, "Traceback" in err) == (0, False), err
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
