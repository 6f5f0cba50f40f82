"""Bots over all transports from one file; the server is killed again and again: complete, and nothing twice."""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import combinations
from pathlib import Path

from tests.kit.commands import manage, processes_of, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.server import Server, migrate
from tests.tournaments.cast import Cast, coming, event

EVENT_S = 900
LOOK_S = 0.02
# Every pairing with the names of both and the endings of its matches.
PAIRINGS = """
SELECT a.name, b.name, p.state, group_concat(m.termination) FROM arena_pairing p
JOIN arena_entry a ON a.id = p.a_id JOIN arena_entry b ON b.id = p.b_id
LEFT JOIN arena_match m ON m.pairing_id = p.id GROUP BY p.id
"""
# Matches that count between two who have proven who they are.
RATED = """
SELECT count(*) FROM arena_match m WHERE m.rated AND m.termination <> 'server_abort' AND m.pairing_id IS NOT NULL
AND (SELECT count(*) FROM arena_seat s WHERE s.match_id = m.id AND s.verified) = 2
"""

# Bots that come back before the event goes on may meet outside of it.
CHANGES = """
SELECT count(*) FROM arena_ratingchange c JOIN arena_match m ON m.id = c.match_id WHERE m.pairing_id IS NOT NULL
"""


@contextmanager
def database(data: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(data / "arena.sqlite3", timeout=DEADLINE_S)) as found:
        yield found


async def killed_again_and_again(
    server: Server, up: asyncio.Event, command: asyncio.subprocess.Process, kills: int
) -> None:
    """Each time after this many further events of the log, wherever the matches are then."""
    rng = random.Random(5)
    with database(server.data) as log:
        for kill in range(1, kills + 1):
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


async def play(folder: Path, cast: Cast, kills: int, legs: int) -> int:
    """The whole event in this folder, and everything that must hold at its end; how many matches it had."""
    matches = legs * len(cast.names) * (len(cast.names) - 1) // 2
    migrate(folder)
    keys = {"name": "Kill cup", "variant": "connect-four-7x6", "format": "round-robin", "legs": legs}
    (folder / "cup.toml").write_text(event(cast, **keys, clock="10s", concurrency=6, seed=3, rated=True))
    server = Server(folder)
    up = asyncio.Event()
    async with asyncio.timeout(EVENT_S), coming(server, cast, folder, up, free_port()):
        command = await start(folder, "tournament", "run", "cup.toml")
        try:
            with database(folder) as rows:
                while not rows.execute("SELECT 1 FROM arena_match WHERE pairing_id IS NOT NULL").fetchone():
                    await asyncio.sleep(LOOK_S)
            up.set()  # before the director plays it they would have met outside of the event
            await killed_again_and_again(server, up, command, kills)
            out, err = await command.communicate()
        finally:
            if command.returncode is None:
                command.kill()
            await server.stop()
    assert command.returncode == 0, out.decode() + err.decode()
    the_table_is_complete(out.decode(), matches, len(cast.names))
    nothing_was_played_twice(folder, cast.names, legs)
    the_ratings_are_those_of_the_logs(folder, len(cast.coming), legs)
    assert processes_of(folder) == []
    return matches


def the_table_is_complete(out: str, matches: int, entries: int) -> None:
    assert f"Kill cup: {matches} of {matches} matches played" in out
    rows = re.findall(r"^ *\d+  .+$", out.partition("Rank")[2], re.MULTILINE)
    assert len(rows) == entries


def nothing_was_played_twice(data: Path, names: list[str], legs: int) -> None:
    """Of each pairing one match counts; all others were ended by a crash of ours, and nobody lost by that."""
    with database(data) as rows:
        pairings = rows.execute(PAIRINGS).fetchall()
    met = Counter(frozenset((a, b)) for a, b, *_ in pairings)
    assert met == dict.fromkeys(map(frozenset, combinations(names, 2)), legs)
    assert legs == 1 or len({(a, b) for a, b, *_ in pairings}) == len(pairings), "each moved first once"
    assert {state for *_, state, _ in pairings} == {"open"}
    for a, b, _, endings in pairings:
        counted = [ending for ending in endings.split(",") if ending != "server_abort"]
        assert len(counted) == 1, f"{a} - {b}: {endings}"


def the_ratings_are_those_of_the_logs(data: Path, registered: int, legs: int) -> None:
    with database(data) as rows:
        rated, changes = (rows.execute(query).fetchone()[0] for query in (RATED, CHANGES))
    assert rated == legs * registered * (registered - 1) // 2 and changes == 2 * rated
    replayed = manage(data, "replay")
    assert (replayed.returncode, "no differences" in replayed.stdout) == (0, True), replayed.stdout + replayed.stderr
