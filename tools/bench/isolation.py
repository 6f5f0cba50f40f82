"""What looking at pages costs who plays: a move's answer while pages are reloaded without a pause, against quiet.

Two servers, `--pages 0` and `--pages 1`, are measured in turns. Two bots play Nim over a socket; an answer is the time
from a bot's move to its next turn, two plies later. The pages are reloaded by a process of its own, first those that
committed rows can answer, then the lobby and a running match as well, which the host makes.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from tests.kit.server import ROOT, Server, environment, migrate
from tools.bench.figures import Figure

ROWS = ("/matches/", "/m/{match}/", "/m/{match}/log.json", "/api/matches/", "/rank/expanding-nim/", "/t/", "/about/")
ALL = (*ROWS, "/", "/watch/", "/m/{running}/")
READERS = 3
PAUSE_S = 0.002
# Reads the addresses in its arguments forever.
RELOAD = """
import http.client, sys, threading
port, *paths = sys.argv[1:]
def read(first):
    line = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
    while True:
        for path in paths[first:] + paths[:first]:
            line.request("GET", path)
            answer = line.getresponse()
            answer.read()
            assert answer.status == 200, (path, answer.status)
for first in range(%d):
    threading.Thread(target=read, args=(first,), daemon=False).start()
"""


class Window(NamedTuple):
    """Answers of one window, in ms."""

    answers: list[float]

    @property
    def p50(self) -> float:
        return median(self.answers)

    @property
    def p99(self) -> float:
        return quantiles(self.answers, n=100)[98] if len(self.answers) > 1 else self.answers[0]


def run(repeats: int = 5, matches: int = 3, long: bool = True) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        yield from asyncio.run(_measured(Path(folder), repeats, matches, long))


async def _measured(folder: Path, repeats: int, matches: int, long: bool) -> list[Figure]:
    servers = [_server(folder / f"pages-{count}", count) for count in (0, 1)]
    found: list[list[list[Window]]] = []
    for server in servers:
        migrate(server.data)
        await asyncio.to_thread(_play_one, server.data)
        await server.start()
    try:
        for _ in range(repeats):
            found.append([await _turn(server, matches, long) for server in servers])
    finally:
        for server in servers:
            await server.stop()
    return [figure for count in (0, 1) for figure in _figures(count, [each[count] for each in found])]


def _figures(count: int, found: list[list[Window]]) -> Iterator[Figure]:
    """`found`: of each repeat the quiet window, the one with pages from rows and the one with all."""
    for place, what in ((1, "rows"), (2, "all")):
        for name, goal in (("p50", 1.2), ("p99", 2.0)):
            quiet = [getattr(each[0], name) for each in found]
            loaded = [getattr(each[place], name) for each in found]
            ratio = median(mine / other for mine, other in zip(loaded, quiet, strict=True))
            detail = f"{median(loaded):.2f} / {median(quiet):.2f} ms"
            yield Figure(
                f"--pages {count}, {what}: answer {name}", ratio, goal if count else None, detail, at_most=True
            )


def _server(data: Path, pages: int) -> Server:
    server = Server(data)
    server.arguments = ("--pages", str(pages))
    return server


def _play_one(data: Path) -> None:
    """A finished match to look at."""
    words = ("match", "connect-four-7x6", "builtin:random", "builtin:random", "--save")
    command = [sys.executable, "manage.py", *words]
    subprocess.run(command, cwd=ROOT, env=environment(data), check=True, stdout=subprocess.DEVNULL)


async def _turn(server: Server, matches: int, long: bool) -> list[Window]:
    finished = await asyncio.to_thread(_finished, server)
    return [await _window(server, paths, finished, matches, long) for paths in ((), ROWS, ALL)]


def _finished(server: Server) -> str:
    import urllib.request

    with urllib.request.urlopen(f"{server.address}/api/matches/?state=ended&variant=connect-four-7x6") as answer:
        return str(json.load(answer)["matches"][0]["id"])


async def _window(server: Server, paths: tuple[str, ...], finished: str, matches: int, long: bool) -> Window:
    """Some matches one after the other, with the readers of `paths` beside them from the first move on."""
    answers: list[float] = []
    for _ in range(matches):
        running: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        door = server.doors["native"]
        bots = [asyncio.create_task(_bot(door, name, running, answers, long)) for name in ("ada", "ben")]
        named = [path.format(match=finished, running=await running) for path in paths]
        reader = subprocess.Popen([sys.executable, "-c", RELOAD % READERS, str(server.port), *named]) if named else None
        await asyncio.gather(*bots)
        if reader is not None:
            reader.kill()
            await asyncio.to_thread(reader.wait)
    return Window(answers)


async def _bot(port: int, name: str, match: asyncio.Future[str], answers: list[float], long: bool) -> None:
    """Play one match of Nim, one stone a move if it shall be long, and note how long each answer took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    def say(**message: Any) -> None:
        writer.write(json.dumps(message).encode() + b"\n")

    say(type="hello", name=name)
    say(type="queue", variant="expanding-nim")
    moved = 0.0
    while line := await reader.readline():
        said = json.loads(line)
        if said["type"] == "seat" and not match.done():
            match.set_result(said["match"])
        if said["type"] == "turn":
            if moved:
                answers.append((time.perf_counter() - moved) * 1000)
            await asyncio.sleep(PAUSE_S)
            moved = time.perf_counter()
            most = max((move for move in said["legal"] if move.isdecimal()), key=int)
            say(type="move", ply=said["ply"], move="1" if long else most)
        if said["type"] == "end":
            break
    writer.close()
