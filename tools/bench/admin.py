"""A million moves: what a page costs where so many are stored, against a hundredth of them.

Two servers as people run them, each with a data folder of its own, are asked for the same pages in turns.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import games
from arena.match.state import SeatSetup, Setup
from tests.kit.server import ROOT, Server, environment, migrate
from tools.bench.figures import Figure

VARIANT = "connect-four-7x6"
PLIES = 20
GOAL_LIST, GOAL_PAGE = 1.5, 1.3
LISTS = {
    "matches": "/admin/arena/match/",
    "matches, search": "/admin/arena/match/?q=b00000007",
    "matches, name": "/admin/arena/match/?q=Ad",
    "matches, stuck": "/admin/arena/match/?stuck=yes",
    "moves": "/admin/arena/move/",
    "events": "/admin/arena/event/",
    "seats": "/admin/arena/seat/",
}
PAGES = {"home": "/", "match": "/m/b00000007/", "replay": "/m/b00000007/?ply=9"}
PASSWORD = "seven-blue-otters"


def run(moves: int = 1_000_000, few: int = 10_000, rounds: int = 15) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        yield from asyncio.run(_measured(Path(folder), (few, moves), rounds))


async def _measured(folder: Path, sizes: tuple[int, int], rounds: int) -> list[Figure]:
    servers = [Server(folder / str(size)) for size in sizes]
    await asyncio.to_thread(_begin, folder / "empty")
    try:
        for server, size in zip(servers, sizes, strict=True):
            await asyncio.to_thread(_fill, folder / "empty", server.data, size)
            await server.start()
        people = [await asyncio.to_thread(_staff, server) for server in servers]
        figures = []
        for name, path in {**LISTS, **PAGES}.items():
            few, many = await asyncio.to_thread(_times, servers, people, path, rounds)
            goal = GOAL_LIST if name in LISTS else GOAL_PAGE
            detail = f"{few:.1f} ms with {sizes[0]:,} moves, {many:.1f} with {sizes[1]:,}"
            figures.append(Figure(f"admin, {name}" if name in LISTS else name, many / few, goal, detail, at_most=True))
        return figures
    finally:
        for server in servers:
            if server.port:
                await server.stop()


def _times(servers: Sequence[Server], people: Sequence[OpenerDirector], path: str, rounds: int) -> tuple[float, float]:
    """Milliseconds of a page on both servers, the median of so many, asked for in turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    first = 2 if rounds > 1 else 0  # of these the caches are filled
    for turn in range(rounds + first):
        for server, person, times in zip(servers, people, taken, strict=True):
            begin = time.perf_counter()
            with person.open(server.address + path, timeout=600) as answer:
                answer.read()
            if turn >= first:
                times.append((time.perf_counter() - begin) * 1000)
    return median(taken[0]), median(taken[1])


def _staff(server: Server) -> OpenerDirector:
    """Somebody who is logged in there as a superuser."""
    person = build_opener(HTTPCookieProcessor(CookieJar()))
    address = f"{server.address}/admin/login/?next=/admin/"
    with person.open(address, timeout=600) as answer:
        token = re.search(r'csrfmiddlewaretoken" value="([^"]+)"', answer.read().decode())
    assert token is not None, "the form has its token"
    form = {"csrfmiddlewaretoken": token[1], "username": "root", "password": PASSWORD}
    with person.open(address, urlencode(form).encode(), timeout=600) as answer:
        assert answer.geturl().endswith("/admin/"), "a superuser may log in"
    return person


# -- what is stored ----------------------------------------------------------------------------------------------------


def _begin(data: Path) -> None:
    """All tables, and who may look at everything."""
    migrate(data)
    known = {"DJANGO_SUPERUSER_PASSWORD": PASSWORD, **environment(data)}
    command = [sys.executable, "manage.py", "createsuperuser", "--noinput", "--username", "root", "--email", "r@b.de"]
    subprocess.run(command, cwd=ROOT, env=known, check=True, timeout=600, stdout=subprocess.DEVNULL)


def _fill(empty: Path, data: Path, moves: int) -> None:
    shutil.copytree(empty, data, symlinks=True)
    (database,) = data.glob("*.sqlite3")
    with sqlite3.connect(database) as stored:
        _insert(stored, range(moves // PLIES))
        stored.execute("ANALYZE")
    stored.close()


def _insert(stored: sqlite3.Connection, numbers: range) -> None:
    """The same resigned match so many times, a minute apart."""
    setup = Setup(VARIANT, (SeatSetup("Ada", "bot"), SeatSetup("Bob", "bot")))
    opened, played = json.dumps(setup.to_data()), _a_game()
    ended = json.dumps({"winner": 0, "termination": "resign", "reason": "Bob resigned"})
    first = datetime.now(UTC).replace(tzinfo=None) - timedelta(minutes=len(numbers))
    match = "id, series, round, variant, rules, settings, clock, rated, opened, started, ended, winner, termination"
    _many(
        stored,
        f"INSERT INTO arena_match ({match}, reason, plies) VALUES (?, 1, 1, ?, 1, '{{}}', '10s', 0, ?, ?, ?, 0, "
        "'resign', 'Bob resigned', ?)",
        ((_id(n), VARIANT, *[str(first + timedelta(minutes=n))] * 3, PLIES) for n in numbers),
    )
    seat = "match_id, seat, name, kind, protocol, level, verified, holder"
    _many(
        stored,
        f"INSERT INTO arena_seat ({seat}) VALUES (?, ?, ?, 'bot', 'droidcon', '', 0, '')",
        ((_id(n), seat, name) for n in numbers for seat, name in enumerate(("Ada", "Bob"))),
    )
    lines = [
        ("opened", None, None, "", opened),
        ("started", None, None, "", "{}"),
        *(("move", ply, (ply - 1) % 2, move, "{}") for ply, move in enumerate(played, 1)),
        ("ended", PLIES, None, "", ended),
    ]
    event = "match_id, seq, at, kind, ply, seat, move, actor, data"
    _many(
        stored,
        f"INSERT INTO arena_event ({event}) VALUES (?, ?, ?, ?, ?, ?, ?, '', ?)",
        (
            (_id(n), seq, str(first + timedelta(minutes=n)), *line[:4], line[4])
            for n in numbers
            for seq, line in enumerate(lines, 1)
        ),
    )


def _many(stored: sqlite3.Connection, sql: str, rows: Iterator[tuple[object, ...]]) -> None:
    stored.executemany(sql, rows)


def _id(number: int) -> str:
    return f"b{number:08}"


def _a_game() -> list[str]:
    """So many moves that nobody has won yet."""
    for seed in range(1000):
        rng, position, moves = random.Random(seed), games.variant(VARIANT).start(), list[str]()
        while position.to_move is not None and len(moves) < PLIES:
            moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.to_move is not None:
            return moves
    raise AssertionError("1000 random matches, and none so long")
