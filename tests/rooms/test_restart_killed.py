"""Twenty live matches, `kill -9`, start again: nothing that anyone saw is lost, and play goes on."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

import games
from arena.protocols import protocols
from tests.kit.commands import start
from tests.kit.crowd import CONNECT_FOUR, Crowd, DroidconBot, FiarBot, Human
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.server import migrate
from tests.kit.until import until

pytestmark = pytest.mark.service

SIGNS = str.maketrans("xo", "@O")


class Row(NamedTuple):
    """A match as the database has it."""

    id: str
    room: str | None
    series: int
    round: int
    termination: str | None
    protocols: frozenset[str]
    moves: tuple[str, ...]


class Server:
    """`manage.py serve` on the same ports at every start."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.ports = {name: free_port() for name in (*protocols(), "pages")}
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        doors = [word for slug in protocols() for word in ("--door", f"{slug}={self.ports[slug]}")]
        self._process = await start(self.data, "serve", "--port", str(self.ports["pages"]), *doors)
        assert self._process.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            while (line := (await self._process.stdout.readline()).decode()) != "Ready\n":
                assert line, (await self._process.communicate())[1].decode()
                words = line.split()
                if words[0] in ("Pages", "Bots"):
                    slug = "pages" if words[0] == "Pages" else words[1]
                    self.ports[slug] = int(words[-1].rstrip("/").rpartition(":")[2])

    async def kill(self) -> None:
        """As a power cut."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
        await self._process.communicate()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.ports['pages']}"

    def rows(self) -> dict[str, Row]:
        """Every match in the order they were opened, by its id."""
        with closing(sqlite3.connect(self.data / "arena.sqlite3", timeout=DEADLINE_S)) as database:
            return {row.id: row for row in _rows(database)}


def _rows(database: sqlite3.Connection) -> Iterator[Row]:
    matches = database.execute(
        "SELECT m.id, r.code, m.series, m.round, m.termination FROM arena_match m "
        "LEFT JOIN arena_room r ON r.id = m.room_id ORDER BY m.opened, m.rowid"
    )
    for match, *fields in matches.fetchall():
        seats = database.execute("SELECT protocol FROM arena_seat WHERE match_id = ?", [match])
        moves = database.execute(
            "SELECT move FROM arena_event WHERE match_id = ? AND kind = 'move' ORDER BY seq", [match]
        )
        yield Row._make((match, *fields, frozenset(slug for (slug,) in seats), tuple(move for (move,) in moves)))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    migrate(tmp_path)
    server = Server(tmp_path)
    await server.start()
    yield server
    await server.kill()


async def test_nothing_is_lost_and_play_goes_on(server: Server) -> None:
    crowd = Crowd(lambda: server.address, server.ports.__getitem__)
    try:
        await crowd.gather(people=5, pairs=5, fiar_pairs=5, droidcon_pairs=5)
        await until(lambda: len(_running(server)) == 20, "20 matches did not begin")
        await until(lambda: all(bot.boards for bot in crowd.fiar), "a fiar bot was shown no board")
        await until(lambda: all(bot.rounds for bot in crowd.droidcon), "a droidcon bot was told of no game")
        await until(lambda: any(human.acknowledged for human in crowd.people), "nobody's move was acknowledged")
        await asyncio.sleep(random.uniform(0, 0.5))
        crowd.up.clear()
        await server.kill()
        killed = server.rows()
        what_people_saw_is_in_the_log(killed, crowd.people)
        what_fiar_bots_saw_is_in_the_log(killed, crowd.fiar)
        what_droidcon_bots_saw_is_in_the_log(killed, crowd.droidcon)
        rounds = {bot: len(bot.rounds) for bot in crowd.droidcon}
        await server.start()
        crowd.up.set()
        await until(lambda: _has_gone_on(killed, server.rows()), "not every match went on")
        await until(lambda: all(len(bot.rounds) > rounds[bot] for bot in crowd.droidcon), "no NEW_GAME")
        nothing_ended_by_the_crash(killed, server.rows())
    finally:
        await crowd.stop()


def _running(server: Server) -> list[Row]:
    return [row for row in server.rows().values() if row.termination is None and row.moves]


def what_people_saw_is_in_the_log(rows: dict[str, Row], people: list[Human]) -> None:
    assert any(human.acknowledged for human in people)
    for human in people:
        for match, number, move in human.acknowledged:
            assert rows[match].moves[number - 1] == move
        for match, moves in human.seen.items():
            assert list(rows[match].moves[: len(moves)]) == moves


def what_fiar_bots_saw_is_in_the_log(rows: dict[str, Row], bots: list[FiarBot]) -> None:
    logged = {board for row in rows.values() if "fiar" in row.protocols for board in _boards(row.moves)}
    for bot in bots:
        assert bot.boards and set(bot.boards) <= logged, bot.boards


def what_droidcon_bots_saw_is_in_the_log(rows: dict[str, Row], bots: list[DroidconBot]) -> None:
    for bot in bots:
        played = [row for row in rows.values() if row.room == bot.room.upper()]
        assert 0 < len(bot.rounds) <= len(played)
        for row, columns in zip(played, bot.rounds, strict=False):
            moves = [int(move) - 1 for move in row.moves]
            assert columns in (moves[0::2][: len(columns)], moves[1::2][: len(columns)])


def _boards(moves: tuple[str, ...]) -> Iterator[str]:
    """Every board of a match as a fiar bot is shown it."""
    position = games.variant(CONNECT_FOUR).start()
    for move in ("", *moves):
        position = position.play(move) if move else position
        if position.to_move is not None:
            yield f"{'@O'[position.to_move]} {str(position).split()[1].translate(SIGNS)}"


def _has_gone_on(killed: dict[str, Row], now: dict[str, Row]) -> bool:
    """Whether each match that ran at the crash has more moves, or was played again where it could not go on."""
    for row in killed.values():
        if row.termination is not None:
            continue
        after = now[row.id]
        if "droidcon" in row.protocols:
            place = (row.room, row.series, row.round)
            again = [each for each in now.values() if (each.room, each.series, each.round) == place and each != after]
            if after.termination != "server_abort" or not any(each.moves for each in again):
                return False
        elif len(after.moves) <= len(row.moves):
            return False
    return True


def nothing_ended_by_the_crash(killed: dict[str, Row], now: dict[str, Row]) -> None:
    for row in killed.values():
        after = now[row.id]
        assert after.moves[: len(row.moves)] == row.moves
        if row.termination is not None:
            assert after == row
        elif "droidcon" in row.protocols:
            assert after == row._replace(termination="server_abort")
        else:
            assert after.termination in (None, "normal")
