"""An upgrade of what an older release has stored, with matches that run, by a command that is killed on its way.

`tests/data/before` is what the wheel of an older revision left behind when it was stopped (`tools/soak/upgrade.py`,
which does all of this with wheels and real play before it).
"""

from __future__ import annotations

import asyncio
import gzip
import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from tests.kit.commands import environment
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, TABLES, Server, share_files
from tests.kit.until import asked_until
from tests.kit.visiting import Visitor
from tools.soak.hosts import Bot

if TYPE_CHECKING:
    from tests.kit.processes import Postgres

BEFORE = ROOT / "tests" / "data" / "before"
# Sessions end a year after the old server ran, and this test shall not.
LASTING = "UPDATE django_session SET expire_date = '2999-01-31 12:00:00+00:00'"
# Migrates, and is killed in this step: all its changes are made, those of the step before are recorded, and its own are
# about to be.
KILLED = """
import django, os, signal, sys
django.setup()
from django.core.management import call_command
from django.db import connection
left = int(sys.argv[1])
def execute(run, sql, *more):
    global left
    left -= 'INSERT INTO "django_migrations"' in sql
    left or os.kill(os.getpid(), signal.SIGKILL)
    return run(sql, *more)
with connection.execute_wrapper(execute):
    call_command("migrate")
"""
# A match in which two bots move: its number, its room and their names.
PLAYING = """
SELECT m.id, r.shown_code, s.name FROM arena_match m JOIN arena_room r ON r.id = m.room_id JOIN arena_seat s
ON s.match_id = m.id WHERE m.ended IS NULL AND s.kind = 'bot' ORDER BY m.id, s.seat LIMIT 2
"""


@pytest.mark.cases(1)
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
async def test_what_is_interrupted_goes_on_and_nobody_loses_a_match(
    store: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    said = json.loads((BEFORE / f"{store}.json").read_text())
    settings, playing = restored(store, request, tmp_path)
    assert done(tmp_path, settings, "-c", KILLED, "2") == -signal.SIGKILL
    refused = done(tmp_path, settings, "manage.py", "serve", "--port", "0", "--no-doors")
    assert refused == 1, "half an upgrade is not served"
    assert done(tmp_path, settings, "manage.py", "migrate") == 0
    server = Server(tmp_path, **settings, ARENA_WAITING_DAYS="36500")
    await server.start()
    person = Visitor(server.port)
    person.cookies = said["cookies"]
    before = await moves(person, said["match"])
    assert len(before) == 2, "a move and its answer"
    assert (await person.post(f"{said['match']}move/", ply="3", move="1")).status == 302
    after = await asked_until(lambda: moves(person, said["match"]), lambda found: len(found) == 4)
    assert after[:2] == before
    room = playing[0][1]
    names = [name.removesuffix(" (unverified)") for _, _, name in playing]
    bots = [Bot(name, [server.doors["native"]], Random(name), room) for name in names]
    tasks = [asyncio.create_task(bot.play_for_ever()) for bot in bots]
    ended = await asked_until(lambda: match(person, playing[0][0]), lambda found: found["termination"])
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert ended["termination"] == "normal"
    await server.stop()
    assert server.complaints == []
    assert done(tmp_path, settings, "manage.py", "replay", "--check") == 0


def restored(
    store: str, request: pytest.FixtureRequest, folder: Path
) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """Where it lies now, and who plays whom."""
    share_files(folder)
    dump = gzip.decompress((BEFORE / f"{store}.sql.gz").read_bytes()).decode()
    if store == "sqlite":
        with closing(sqlite3.connect(folder / TABLES)) as there:
            there.executescript(f"{dump}\n{LASTING};")
            return {}, there.execute(PLAYING).fetchall()
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.create("before")
    # What begins with a backslash is said to psql.
    script = "\n".join(line for line in dump.splitlines() if not line.startswith("\\"))
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(script.encode())
        database.execute("SET search_path TO public")
        database.execute(LASTING)
        return {"DATABASE_URL": url}, database.execute(PLAYING).fetchall()


def done(folder: Path, settings: dict[str, str], *words: str) -> int:
    """The exit code of a command of the new release."""
    mine = {**environment(folder), **settings, "SECRET_KEY": "only-for-tests"}
    command = [sys.executable, *words]
    ran = subprocess.run(command, cwd=ROOT, env=mine, capture_output=True, text=True, timeout=DEADLINE_S)
    assert "serve" not in words or "run manage.py migrate" in ran.stderr, ran
    return ran.returncode


async def moves(person: Visitor, page: str) -> list[str]:
    said = json.loads((await person.get(f"{page}log.json")).text)
    return [move["move"] for move in said["moves"]]


async def match(person: Visitor, number: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((await person.get(f"/api/v1/matches/{number}/")).text)
    return found
