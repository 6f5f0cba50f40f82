"""A match while a thousand analyses wait: the time of a move's answer and of a page, against that without them.

The match is friendly, so the desk computes meanwhile, at the usual niceness: the bench measures how much it, its claims
and its sweeps slow play and pages.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.kit.server import ROOT, TABLES, Server, environment, migrate
from tests.kit.visiting import Visitor
from tools.bench.figures import Figure, repeated

WAITING, MOST = 1_000, 1.2
# A bot does nothing between its move and the answer; this many seconds pass between the answer and its next move.
PAUSE_S = 0.02
PAGES = ("/", "/matches/")


class Window(NamedTuple):
    """The median milliseconds of a move's answer and of a page, and the number of analyses that waited at the end."""

    move: float
    page: float
    left: int


def run(repeats: int = 3, rows: int = WAITING) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        data = Path(folder)
        migrate(data)
        match = _played(data)
        yield from asyncio.run(_measured(data, match, repeats, rows))


def _played(data: Path) -> str:
    """The number of a finished match that can be analysed again and again."""
    words = ("match", "connect-four-7x6", "builtin:club", "builtin:club", "--save")
    command = [sys.executable, "manage.py", *words]
    subprocess.run(command, cwd=ROOT, env=environment(data), check=True, stdout=subprocess.DEVNULL)
    with closing(sqlite3.connect(data / TABLES)) as table:
        return str(table.execute("SELECT id FROM arena_match").fetchone()[0])


async def _measured(data: Path, match: str, repeats: int, rows: int) -> list[Figure]:
    server = Server(data, ARENA_WORK_SLOTS="1", ARENA_WORK_NICE="19")
    await server.start()
    found: list[tuple[Window, Window]] = []
    try:
        for repeat in range(repeats):
            await asyncio.to_thread(_wait_for, data, match, 0, repeat)
            quiet = await _window(server, data)
            await asyncio.to_thread(_wait_for, data, match, rows, repeat)
            found.append((quiet, await _window(server, data)))
    finally:
        await server.stop()
    return [_figure(name, found, MOST) for name in ("move", "page")] + [
        Figure("analyses that still waited at the end", min(busy.left for _, busy in found), None, f"of {rows}")
    ]


def _figure(name: str, found: list[tuple[Window, Window]], most: float) -> Figure:
    ratios = [getattr(busy, name) / getattr(quiet, name) for quiet, busy in found]
    told = [median(getattr(each[place], name) for each in found) for place in (1, 0)]
    detail = f"{told[0]:.2f} / {told[1]:.2f} ms"
    return repeated(f"{name} with {WAITING} waiting analyses / without", ratios, most, detail, at_most=True)


def _wait_for(data: Path, match: str, rows: int, repeat: int) -> None:
    """From now on exactly this many rows of work wait."""
    spec, made = json.dumps({"match": match}), time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    with closing(sqlite3.connect(data / TABLES, timeout=60)) as table, table:
        table.execute("DELETE FROM arena_work WHERE state IN ('waiting', 'done')")
        columns = [row[1] for row in table.execute("PRAGMA table_info(arena_work)") if row[3] and row[1] != "id"]
        usual: dict[str, Any] = dict.fromkeys(columns, 0) | {"kind": "analyse", "spec": spec, "state": "waiting"}
        usual |= {"priority": -40, "worker": "", "why": "", "made": made}
        marks = ", ".join("?" for _ in usual)
        for number in range(rows):
            values = [*(usual | {"key": f"analyse:{repeat}-{number}"}).values()]
            table.execute(f"INSERT INTO arena_work ({', '.join(usual)}) VALUES ({marks})", values)


async def _window(server: Server, data: Path) -> Window:
    """One match of Nim between two bots, and a reader beside it."""
    moves: list[float] = []
    pages: list[float] = []
    reading = asyncio.create_task(_read(server.port, pages))
    await asyncio.gather(*(_bot(server.doors["native"], name, moves) for name in ("ada", "ben")))
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    with closing(sqlite3.connect(data / TABLES, timeout=60)) as table:
        left = table.execute("SELECT COUNT(*) FROM arena_work WHERE state = 'waiting'").fetchone()[0]
    return Window(median(moves), median(pages), left)


async def _read(port: int, pages: list[float]) -> None:
    visitor = Visitor(port)
    while True:
        for path in PAGES:
            began = time.perf_counter()
            await visitor.get(path)
            pages.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(0.1)


async def _bot(port: int, name: str, answers: list[float]) -> None:
    """Takes one stone a move and notes how long the answer to each move took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    def say(**message: Any) -> None:
        writer.write(json.dumps(message).encode() + b"\n")

    say(type="hello", name=name)
    say(type="queue", variant="expanding-nim")
    moved = 0.0
    while line := await reader.readline():
        said = json.loads(line)
        if said["type"] == "turn":
            if moved:
                answers.append((time.perf_counter() - moved) * 1000 - PAUSE_S * 1000)
            await asyncio.sleep(PAUSE_S)
            moved = time.perf_counter()
            say(type="move", ply=said["ply"], move="1")
        if said["type"] == "end":
            break
    writer.close()
