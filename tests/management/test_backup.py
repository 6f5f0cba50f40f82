"""`manage.py backup`: taken while a server serves, restored into another folder, and the same to the last row."""

from __future__ import annotations

import asyncio
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.commands import ROOT, environment, finished, manage, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.server import migrate, tables

pytestmark = pytest.mark.service


def dump(file: Path) -> list[str]:
    """Without what the host goes on writing after the backup: what it counts each minute, and its leases."""
    with closing(sqlite3.connect(file)) as database:
        return sorted(row for row in database.iterdump() if not re.search("arena_(minute|lease)", row))


async def test_what_is_restored_is_what_was_backed_up(tmp_path: Path) -> None:
    data, kept, other = tmp_path / "data", tmp_path / "kept", tmp_path / "other"
    data.mkdir()
    migrate(data)
    server = await start(data, "serve", "--port", str(free_port()), "--no-doors")
    try:
        assert server.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            while b"Ready" not in await server.stdout.readline():
                pass
        taken = await asyncio.to_thread(manage, data, "backup", str(kept))
        assert taken.returncode == 0, taken.stderr
        again = await asyncio.to_thread(manage, data, "backup", str(kept))
        assert again.returncode == 1 and "is not empty" in again.stderr
    finally:
        server.terminate()
        await finished(server)
    assert {file.name for file in kept.iterdir()} == {"arena.sqlite3", "secret_key"}
    assert [file.stat().st_mode & 0o077 for file in (kept, *kept.iterdir())] == [0, 0, 0]

    other.mkdir()
    for file in kept.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    assert dump(other / "arena.sqlite3") == dump(data / "arena.sqlite3")
    assert (other / "secret_key").read_bytes() == (data / "secret_key").read_bytes()
    checked = await asyncio.to_thread(manage, other, "replay", "--check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_without_a_database_nothing_is_left_behind(tmp_path: Path) -> None:
    failed = manage(tmp_path, "backup", str(tmp_path / "kept"))
    assert failed.returncode == 1 and "There is no database yet" in failed.stderr
    assert not (tmp_path / "kept").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    migrate(tmp_path)
    failed = manage(tmp_path, "backup", str(tmp_path / "no" / "kept"))
    assert failed.returncode == 1 and "could not be written" in failed.stderr


def test_a_key_that_is_kept_elsewhere_is_not_said_to_be_in_it(tmp_path: Path) -> None:
    """A key that was used before is no key to what the servers have signed since."""
    migrate(tmp_path)
    (tmp_path / "secret_key").write_text("an older one")
    elsewhere = environment(tmp_path) | {"SECRET_KEY": "fifty characters"}
    command = [sys.executable, str(ROOT / "manage.py"), "backup", str(tmp_path / "kept")]
    done = subprocess.run(command, cwd=tmp_path, env=elsewhere, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0 and "Keep SECRET_KEY beside it, which is not in it." in done.stdout, done
    assert [file.name for file in (tmp_path / "kept").iterdir()] == ["arena.sqlite3"]


def test_a_database_that_is_named_by_a_relative_path_is_copied(tmp_path: Path) -> None:
    shutil.copy(tables(), tmp_path / "here.sqlite3")
    relative = environment(tmp_path) | {"DATABASE_URL": "sqlite:///here.sqlite3"}
    command = [sys.executable, str(ROOT / "manage.py"), "backup", "kept"]
    done = subprocess.run(command, cwd=tmp_path, env=relative, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr
    assert dump(tmp_path / "kept" / "arena.sqlite3") == dump(tmp_path / "here.sqlite3")
