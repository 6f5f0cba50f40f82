"""A server whose database is deleted and overwritten under it: who is told what, and what is lost, which is nothing."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from arena.core.storage_trouble import DAMAGED
from arena.core.storage_watch import IS_SAVED
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, Server, environment, migrate
from tests.kit.until import asked_until
from tests.kit.visiting import Answer, Visitor

FIRST_MOVE = {"variant": "connect-four-7x6", "level": "beginner", "move": "4"}


async def moves(person: Visitor, match: str) -> list[str]:
    return [move["move"] for move in json.loads((await person.get(f"{match}log.json")).text)["moves"]]


async def until_ill(person: Visitor) -> Answer:
    return await asked_until(lambda: person.get("/healthz"), lambda answer: answer.status != 200)


async def test_what_is_deleted_under_a_server_is_missed_and_saved_and_what_is_damaged_is_told(tmp_path: Path) -> None:
    migrate(tmp_path)
    file, log = tmp_path / "arena.sqlite3", tmp_path / "arena.sqlite3-wal"
    server = Server(tmp_path, PYTHONWARNINGS="ignore")
    await server.start()
    person = Visitor(server.port)
    try:
        await person.get("/")
        match = (await person.post("/play/", **FIRST_MOVE)).headers["Location"]
        await asked_until(lambda: moves(person, match), lambda made: len(made) == 2)
        log.unlink()
        # Told by the server before it has missed the file: this is what must not be lost.
        told = await person.post(f"{match}move/", ply="3", move="4")
        ready = await asked_until(lambda: person.get("/readyz"), lambda answer: IS_SAVED in answer.text)
        assert "(arena.sqlite3-wal was " in ready.text
        played = await moves(person, match)
        assert len(played) >= (2 if told.status == 503 else 3), told
        refused = await person.post("/play/", **FIRST_MOVE)
        assert refused.status == 503 and "were deleted or replaced" in refused.text and "is safe" not in refused.text
        assert 'class="bar-top notice error"' in (await person.get(match)).text
        await server.stop()
        assert server.said.count("Traceback") == 0, server.said

        await server.start()
        assert (await moves(person, match))[: len(played)] == played
        with closing(sqlite3.connect(file)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(file, "r+b") as overwritten:
            overwritten.seek(4096)
            overwritten.write(b"\xff" * (file.stat().st_size - 8192))
        page = await person.get("/bots/")
        assert page.status == 503 and DAMAGED.words in page.text and DAMAGED.todo not in page.text
        admin, program = await person.get("/admin/"), await person.get("/api/players/")
        assert admin.status == 503 and DAMAGED.todo in admin.text
        assert program.status == 503 and json.loads(program.text)["error"]["code"] == "storage_damaged"
        assert (await until_ill(person)).text == f"{DAMAGED.words} {DAMAGED.todo}\n"
    finally:
        await server.stop()
    command = [sys.executable, "manage.py", "serve", "--port", "0", "--no-doors"]
    again = subprocess.run(
        command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, timeout=DEADLINE_S
    )
    assert again.returncode == 1 and again.stderr.startswith("CommandError: The database of this server is damaged: ")
