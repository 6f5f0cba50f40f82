"""What readers of pages cost the players: the time of a move's answer while pages are reloaded without a pause, against
a quiet server.

Two servers, `--pages 0` and `--pages 1`, are measured in turns. Two bots play Nim over a socket; an answer is the time
from a bot's move to its next turn, two plies later. A separate process reloads the pages, first those that committed
rows can answer, then also the lobby and a running match, which the host makes. Finally a crowd, in another process,
watches another match.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
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
# Opens this many websockets on a match, says so, and discards what they receive until its input ends. It answers pings;
# the server sends whole, unmasked frames.
WATCH = '''
import selectors, socket, sys
port, match, count = sys.argv[1:]
origin = f"127.0.0.1:{port}"
hello = f"""GET /ws/m/{match}/ HTTP/1.1
Host: {origin}
Origin: http://{origin}
Upgrade: websocket
Connection: Upgrade
Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==
Sec-WebSocket-Version: 13

""".replace("\\n", "\\r\\n").encode()
waiting = selectors.DefaultSelector()
def hear(line, data):
    while len(data) >= 2 and (data[1] < 126 or len(data) >= 10):
        size, first = data[1], 2
        if size > 125:
            first = 4 if size == 126 else 10
            size = int.from_bytes(data[2:first], "big")
        if len(data) < first + size:
            break
        if data[0] == 0x89:
            line.sendall(bytes((0x8A, 0x80 | size, 0, 0, 0, 0)) + data[first : first + size])
        data = data[first + size :]
    return data
def listen(seconds):
    for key, _ in waiting.select(seconds):
        if key.fileobj is sys.stdin:
            sys.exit()
        data = key.fileobj.recv(1 << 16)
        assert data, "a watcher was cut off"
        waiting.modify(key.fileobj, selectors.EVENT_READ, hear(key.fileobj, key.data + data))
for number in range(int(count)):
    line = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
    line.sendall(hello)
    status = b""
    while b"\\r\\n\\r\\n" not in status:
        status += line.recv(1 << 16)
    assert b" 101 " in status, status
    waiting.register(line, selectors.EVENT_READ, status.partition(b"\\r\\n\\r\\n")[2])
    listen(0)
waiting.register(sys.stdin, selectors.EVENT_READ, b"")
print("Ready", flush=True)
while True:
    listen(None)
'''
# How long the bots of the watched match think: it lasts as long as the others are measured, and always has a new frame.
WATCHED_PAUSE_S = 0.05


class Window(NamedTuple):
    """The times of the answers in one window, in ms."""

    answers: list[float]

    @property
    def p50(self) -> float:
        return median(self.answers)

    @property
    def p99(self) -> float:
        return quantiles(self.answers, n=100)[98] if len(self.answers) > 1 else self.answers[0]


def run(repeats: int = 5, matches: int = 3, long: bool = True, watchers: int = 2_000) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        yield from asyncio.run(_measured(Path(folder), repeats, matches, long, watchers))


async def _measured(folder: Path, repeats: int, matches: int, long: bool, watchers: int) -> list[Figure]:
    servers = [_server(folder / f"pages-{count}", count) for count in (0, 1)]
    found: list[list[list[Window]]] = []
    for server in servers:
        migrate(server.data)
        await asyncio.to_thread(_play_one, server.data)
        await server.start()
    try:
        for _ in range(repeats):
            found.append([await _turn(server, matches, long, watchers) for server in servers])
    finally:
        for server in servers:
            await server.stop()
    crowd = f"{watchers} watch another match"
    return [figure for count in (0, 1) for figure in _figures(count, crowd, [each[count] for each in found])]


def _figures(count: int, crowd: str, found: list[list[Window]]) -> Iterator[Figure]:
    """`found`: for each repeat the quiet window, the ones with pages from rows and with all pages, and the one with a
    crowd.
    """
    for place, what, goals in ((1, "rows", (1.2, 2.0)), (2, "all", (1.2, 2.0)), (3, crowd, (1.5, 1.5))):
        for name, goal in zip(("p50", "p99"), goals, strict=True):
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
    """Play a match, so that readers can look at a finished one."""
    words = ("match", "connect-four-7x6", "builtin:random", "builtin:random", "--save")
    command = [sys.executable, "manage.py", *words]
    subprocess.run(command, cwd=ROOT, env=environment(data), check=True, stdout=subprocess.DEVNULL)


async def _turn(server: Server, matches: int, long: bool, watchers: int) -> list[Window]:
    finished = await asyncio.to_thread(_finished, server)
    windows = [await _window(server, paths, finished, matches, long) for paths in ((), ROWS, ALL)]
    return [*windows, await _beside_a_crowd(server, finished, matches, long, watchers)]


async def _beside_a_crowd(server: Server, finished: str, matches: int, long: bool, watchers: int) -> Window:
    """The same while this many watch another match, in which bots move all the time."""
    running: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    all_watch, door = asyncio.Event(), server.doors["native"]
    # Two new bots each time: the server may still be waiting for the earlier ones.
    names = [f"{name}{time.monotonic_ns()}" for name in ("eve", "fay")]
    bots = [asyncio.create_task(_bot(door, name, running, [], True, WATCHED_PAUSE_S, all_watch)) for name in names]
    words = (sys.executable, "-c", WATCH, str(server.port), await running, str(watchers))
    crowd = await asyncio.create_subprocess_exec(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert crowd.stdin is not None and crowd.stdout is not None
    try:
        await crowd.stdout.readline()
        all_watch.set()
        window = await _window(server, (), finished, matches, long)
        assert crowd.returncode is None, "the crowd stays"
        return window
    finally:
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        crowd.stdin.close()
        await crowd.wait()


def _finished(server: Server) -> str:
    import urllib.request

    with urllib.request.urlopen(f"{server.address}/api/matches/?state=ended&variant=connect-four-7x6") as answer:
        return str(json.load(answer)["matches"][0]["id"])


async def _window(server: Server, paths: tuple[str, ...], finished: str, matches: int, long: bool) -> Window:
    """Several matches, one after another, beside readers of `paths` from the first move on."""
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


async def _bot(
    port: int,
    name: str,
    match: asyncio.Future[str],
    answers: list[float],
    long: bool,
    pause_s: float = PAUSE_S,
    may_move: asyncio.Event | None = None,
) -> None:
    """Play one match of Nim, with one stone a move if it is to be long, and note how long each answer took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    def say(**message: Any) -> None:
        writer.write(json.dumps(message).encode() + b"\n")

    with closing(writer):
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
                if may_move is not None:
                    await may_move.wait()
                await asyncio.sleep(pause_s)
                moved = time.perf_counter()
                most = max((move for move in said["legal"] if move.isdecimal()), key=int)
                say(type="move", ply=said["ply"], move="1" if long else most)
            if said["type"] == "end":
                break
