"""Twelve bots over all transports from one file; the server is killed thirty times: complete, and nothing twice."""

from __future__ import annotations

import asyncio
import random
import re
import socket
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import permutations
from pathlib import Path

import pytest

from tests.browser.server import Server, migrate
from tests.management.commands import manage, processes_of, start
from tests.tournaments import cast

KILLS = 30
EVENT_S = 600
LOOK_S = 0.02
ENTRIES = 12
MATCHES = ENTRIES * (ENTRIES - 1)
# Every pairing with the names of both and the endings of its matches.
PAIRINGS = """
SELECT a.name, b.name, p.state, group_concat(m.termination) FROM arena_pairing p
JOIN arena_entry a ON a.id = p.a_id JOIN arena_entry b ON b.id = p.b_id
LEFT JOIN arena_match m ON m.pairing_id = p.id GROUP BY p.id
"""
# Matches that count between two who have proven who they are.
RATED = """
SELECT count(*) FROM arena_match m WHERE m.rated AND m.termination <> 'server_abort'
AND (SELECT count(*) FROM arena_seat s WHERE s.match_id = m.id AND s.verified) = 2
"""


@contextmanager
def database(data: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(data / "arena.sqlite3", timeout=20)) as found:
        yield found


async def killed_again_and_again(server: Server, up: asyncio.Event, command: asyncio.subprocess.Process) -> None:
    """Each time after so many further events of the log, wherever the matches are then."""
    rng = random.Random(5)
    with database(server.data) as log:
        for kill in range(1, KILLS + 1):
            until = _events(log) + rng.randint(1, 90)
            while _events(log) < until:
                assert command.returncode is None, "it ended before the server was killed often enough"
                await asyncio.sleep(LOOK_S)
            up.clear()
            await server.kill()
            await server.start()
            assert server.said.count("Ready\n") == 1 + kill, server.said[-2000:]
            up.set()


def _events(log: sqlite3.Connection) -> int:
    """Its rows are never deleted, so the last one has their number."""
    return int(log.execute("SELECT coalesce(max(id), 0) FROM arena_event").fetchone()[0])


@pytest.mark.service
@pytest.mark.long
@pytest.mark.timeout(EVENT_S + 60)
async def test_killed_thirty_times_the_table_is_complete_and_nothing_is_played_twice(tmp_path: Path) -> None:
    migrate(tmp_path)
    keys = {"name": "Kill cup", "variant": "connect-four-7x6", "format": "round-robin", "legs": 2}
    (tmp_path / "cup.toml").write_text(cast.event(tmp_path, **keys, clock="10s", concurrency=6, seed=3, rated=True))
    server = Server(tmp_path)
    server.port, own, *doors = _ports(2 + len(server.doors))
    server.doors = dict(zip(server.doors, doors, strict=True))
    up = asyncio.Event()
    async with asyncio.timeout(EVENT_S), cast.coming(server, tmp_path, up, own):
        command = await start(tmp_path, "tournament", "run", "cup.toml")
        try:
            with database(tmp_path) as rows:
                while not rows.execute("SELECT 1 FROM arena_tournament WHERE state = 'running'").fetchone():
                    await asyncio.sleep(LOOK_S)
            up.set()  # before that they would have met outside of the event
            await killed_again_and_again(server, up, command)
            out, err = await command.communicate()
        finally:
            if command.returncode is None:
                command.kill()
            await server.stop()
    assert command.returncode == 0, out.decode() + err.decode()
    the_table_is_complete(out.decode())
    nothing_was_played_twice(tmp_path)
    the_ratings_are_those_of_the_logs(tmp_path)
    assert processes_of(tmp_path) == []


def _ports(count: int) -> list[int]:
    """Free ones that no connection of another program is given while there is no server: those are higher."""
    found: list[int] = []
    for port in random.sample(range(20_000, 32_000), 200):
        with suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            found.append(port)
    return found[:count]


def the_table_is_complete(out: str) -> None:
    assert f"Kill cup: {MATCHES} of {MATCHES} matches played" in out
    rows = re.findall(r"^ *\d+  .+$", out.partition("Rank")[2], re.MULTILINE)
    assert len(rows) == ENTRIES


def nothing_was_played_twice(data: Path) -> None:
    """Of each pairing one match counts; all others were ended by a crash of ours, and nobody lost by that."""
    with database(data) as rows:
        pairings = rows.execute(PAIRINGS).fetchall()
    names = [*cast.seats(data), *cast.COMING]
    assert sorted((a, b) for a, b, *_ in pairings) == sorted(permutations(names, 2))
    assert Counter(state for *_, state, _ in pairings) == {"open": MATCHES}
    for a, b, _, endings in pairings:
        counted = [ending for ending in endings.split(",") if ending != "server_abort"]
        assert len(counted) == 1, f"{a} - {b}: {endings}"


def the_ratings_are_those_of_the_logs(data: Path) -> None:
    with database(data) as rows:
        rated, changes = (
            rows.execute(query).fetchone()[0] for query in (RATED, "SELECT count(*) FROM arena_ratingchange")
        )
    assert rated == len(cast.COMING) * (len(cast.COMING) - 1) and changes == 2 * rated
    replayed = manage(data, "replay")
    assert (replayed.returncode, "no differences" in replayed.stdout) == (0, True), replayed.stdout + replayed.stderr
