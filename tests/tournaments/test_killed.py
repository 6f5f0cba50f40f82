"""A server that is killed in the middle of an event; `make soak` kills it thirty times, in an event of more
bots and two legs.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.kit.commands import start
from tests.kit.server import Server, migrate
from tests.kit.until import until
from tests.tournaments import killing
from tests.tournaments.cast import few

KILLS = 2
CUP = """name = "Slow cup"
variant = "connect-four-7x6"
format = "round-robin"
clock = "30s"
pace = 3
legs = 1

[[entry]]
seat = "builtin:random"

[[entry]]
seat = "builtin:beginner"
"""
MATCHES = "SELECT termination, reason FROM arena_match WHERE pairing_id IS NOT NULL"


@pytest.mark.service
@pytest.mark.long
@pytest.mark.timeout(killing.EVENT_S + 60)
async def test_killed_again_and_again_the_table_is_complete_and_nothing_is_played_twice(tmp_path: Path) -> None:
    await killing.play(tmp_path, few(tmp_path), KILLS, legs=1)


@pytest.mark.service
async def test_a_match_that_began_as_its_pairing_was_decided_is_not_played_after_a_kill(tmp_path: Path) -> None:
    migrate(tmp_path)
    (tmp_path / "cup.toml").write_text(CUP)
    server = Server(tmp_path)
    await server.start()
    command = await start(tmp_path, "tournament", "run", "cup.toml")
    try:
        with killing.database(tmp_path) as rows:
            await until(lambda: _matches(rows) == [(None, "")])
            # As an organiser would have done before there was a match; nothing tells the director of it.
            rows.execute("UPDATE arena_pairing SET state = 'drawn', reason = 'agreed'")
            rows.commit()
            await server.kill()
            await server.start()
            await until(lambda: _matches(rows) != [(None, "")])
            assert _matches(rows) == [("server_abort", "the pairing had been decided when the match began")]
        out, err = await command.communicate()
        assert command.returncode == 0 and b"1 of 1 matches played" in out, out + err
    finally:
        if command.returncode is None:
            command.kill()
        await server.stop()


def _matches(rows: sqlite3.Connection) -> list[tuple[str | None, str]]:
    return rows.execute(MATCHES).fetchall()
