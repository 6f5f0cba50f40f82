"""The watch over the database, over files of its own that are really deleted, replaced, cut, locked and overwritten."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from django.db import DatabaseError, OperationalError, connection

from arena.core import storage_watch
from arena.core.storage_trouble import DAMAGED, FULL, FULL_THERE, LOCKED, READ_ONLY_THERE, StorageTrouble
from arena.core.storage_watch import IS_SAVED, Files, Watch, saw, trouble, why_not_start, writing
from tests.kit.until import asked_until, until


def opened(path: Path) -> sqlite3.Connection:
    """As the ledger has it."""
    found = sqlite3.connect(path, timeout=0.1, isolation_level=None, check_same_thread=False)
    found.execute("PRAGMA journal_mode = WAL")
    return found


def rows(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as reading:
        return [number for (number,) in reading.execute("SELECT n FROM played ORDER BY n")]


def add(writer: sqlite3.Connection, *numbers: int) -> None:
    for number in numbers:
        writer.execute("INSERT INTO played VALUES (?, randomblob(3000))", (number,))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of some size, nothing of it in its log."""
    made = tmp_path / "arena.sqlite3"
    with closing(opened(made)) as writer:
        writer.execute("CREATE TABLE played (n, filling)")
        add(writer, *range(40))
    return made


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(opened(path)) as found:
        yield found


@pytest.fixture
def files(path: Path) -> Iterator[Files]:
    found = Files(path)
    assert found.changed() == ""
    yield found
    found.close()


# -- the files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("-wal",), ("-wal", "-shm"), ("-shm",)])
def test_a_log_that_was_deleted_is_missed_and_nothing_of_it_is_lost(
    path: Path, writer: sqlite3.Connection, files: Files, names: tuple[str, ...]
) -> None:
    add(writer, 40)
    for name in names:
        Path(f"{path}{name}").unlink()
    add(writer, 41)
    assert files.changed() == f"arena.sqlite3{names[0]} was deleted"
    assert files.save() == IS_SAVED
    writer.close()
    files.close()
    assert rows(path) == list(range(42))


def test_a_database_that_was_deleted_or_replaced_is_saved_beside_its_place(
    path: Path, writer: sqlite3.Connection, files: Files
) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    add(writer, 40)
    os.replace(other, path)
    add(writer, 41)
    assert files.changed() == "arena.sqlite3 was replaced"
    path.unlink()
    assert files.changed() == "arena.sqlite3 was deleted"
    said = files.save()
    (saved,) = path.parent.glob(storage_watch.RESCUED)
    assert saved.name in said and rows(saved) == list(range(42)) and saved.stat().st_mode & 0o077 == 0
    assert saved.name in why_not_start(path)


def test_a_log_that_another_process_has_begun_is_not_written_over(
    path: Path, writer: sqlite3.Connection, files: Files
) -> None:
    add(writer, 40)
    Path(f"{path}-wal").unlink()
    Path(f"{path}-wal").write_bytes(b"somebody else's")
    assert files.changed() == "arena.sqlite3-wal was replaced"
    files.save()
    (saved,) = path.parent.glob(storage_watch.RESCUED)
    assert rows(saved) == list(range(41))
    assert Path(f"{path}-wal").read_bytes() == b"somebody else's"


def test_what_cannot_be_saved_is_said(path: Path, files: Files) -> None:
    shutil.rmtree(path.parent)
    said = files.save()
    assert "could not be saved" in said and "restore the newest backup" in said


def test_a_file_that_was_cut_is_damaged_and_one_that_was_only_emptied_by_sqlite_is_not(
    path: Path, writer: sqlite3.Connection, files: Files
) -> None:
    add(writer, 40)
    assert not files.shrunk()
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert files.shrunk() and not files.is_damaged()
    os.truncate(path, path.stat().st_size // 2)
    assert files.shrunk() and files.is_damaged()


def test_a_start_says_what_is_damaged_and_what_to_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_not_start(path) == why_not_start(path.with_name("none")) == ""
    whole = path.read_bytes()
    damaged = {
        "cut": whole[: len(whole) // 2],
        "overwritten": whole[:4096] + b"\xff" * 8192 + whole[12288:],
        "no database": b"something else " * 1000,
    }
    for name, content in damaged.items():
        path.write_bytes(content)
        assert why_not_start(path).startswith("The database of this server is damaged: "), name
        assert "restore the newest backup" in why_not_start(path)
    path.write_bytes(damaged["overwritten"])
    monkeypatch.setattr(storage_watch, "CHECK_S", -1.0)
    monkeypatch.setattr(storage_watch, "_STEPS", 1)
    assert why_not_start(path) == "", "a large database is looked through in part"


# -- the watch ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def watching(path: Path) -> AsyncIterator[list[StorageTrouble | None]]:
    """A watch over this database; gives what it has told its host."""
    told: list[StorageTrouble | None] = []
    kept, connection.settings_dict["NAME"] = connection.settings_dict["NAME"], str(path)
    try:
        watch = Watch(lambda: told.append(watch.trouble), every_s=0.02)
    finally:
        connection.settings_dict["NAME"] = kept
    watch.start()
    try:
        yield told
    finally:
        await watch.close()
        assert trouble() is None


@pytest.mark.skipif(connection.vendor != "sqlite", reason="files are SQLite's")
async def test_a_lock_is_trouble_until_it_is_gone(path: Path, writer: sqlite3.Connection) -> None:
    async with watching(path) as told:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OperationalError), writing():
            raise OperationalError("database is locked")
        assert trouble() == LOCKED
        await until(lambda: told == [LOCKED])
        with writing():
            """What is not final keeps nobody from trying again."""
        writer.execute("ROLLBACK")
        await until(lambda: told == [LOCKED, None])


@pytest.mark.skipif(connection.vendor != "sqlite", reason="files are SQLite's")
async def test_whoever_asks_hears_of_trouble_that_nobody_has_met_yet(
    path: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watching(path) as told:
        writer.execute("BEGIN EXCLUSIVE")
        await asyncio.to_thread(storage_watch.try_now)
        assert trouble() == LOCKED
        writer.execute("ROLLBACK")
        await until(lambda: told == [LOCKED, None])
        monkeypatch.setattr(storage_watch, "LEAST_BYTES", 1 << 62)
        await until(lambda: trouble() == FULL)
        monkeypatch.undo()
        await until(lambda: trouble() is None)


# Each try to take room is counted, and fails as on a full disk.
FILLED = """
CREATE SEQUENCE tries;
CREATE FUNCTION no_room() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM nextval('tries'); RAISE EXCEPTION 'voll' USING ERRCODE = '53100'; END $$;
CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION no_room()
"""


@pytest.mark.service
async def test_postgresql_is_in_trouble_until_it_takes_writes_and_has_room(on_postgres: None) -> None:
    """A statement that writes nothing works all the time."""
    told = list[StorageTrouble | None]()
    watch = Watch(lambda: told.append(trouble()), every_s=0.01)
    name = connection.settings_dict["NAME"]
    await asyncio.to_thread(_asked, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    watch.start()
    try:
        await asyncio.to_thread(storage_watch.try_now)
        assert trouble() == READ_ONLY_THERE
        await asyncio.to_thread(_asked, f"ALTER DATABASE {name} RESET default_transaction_read_only")
        await until(lambda: told == [READ_ONLY_THERE, None])
        await asyncio.to_thread(_asked, FILLED)
        saw(OperationalError("could not extend file: No space left on device"))
        tries = "SELECT last_value FROM tries"
        await asked_until(lambda: asyncio.to_thread(_asked, tries), lambda number: number > 2)
        assert trouble() == FULL_THERE and None not in told[2:]
        await asyncio.to_thread(_asked, "DROP EVENT TRIGGER full_disk")
        await until(lambda: told[-1] is None)
    finally:
        await watch.close()


def _asked(sql: str) -> int:
    """What it answers, 0 for nothing; by a connection that may write, whatever is usual."""
    with closing(connection), connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = off")
        cursor.execute(sql)
        return int(cursor.fetchone()[0]) if sql.startswith("SELECT") else 0


@pytest.mark.skipif(connection.vendor != "sqlite", reason="files are SQLite's")
async def test_after_files_were_deleted_nothing_is_written_any_more(path: Path, writer: sqlite3.Connection) -> None:
    async with watching(path) as told:
        add(writer, 40)
        # The watch knows the files from its first look, and must have had it before one of them goes.
        await asyncio.to_thread(storage_watch.try_now)
        missing = OperationalError("no such table: arena_event")
        assert saw(missing) is None
        Path(f"{path}-wal").unlink()
        await until(lambda: bool(told) and told[-1] is not None and told[-1].todo == IS_SAVED)
        assert told[-1] and "arena.sqlite3-wal was deleted" in told[-1].words
        saw(OperationalError("database is locked"))
        assert saw(missing) == trouble() == told[-1]
        with pytest.raises(OperationalError, match="deleted"), writing():
            pytest.fail("nothing may be written")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="files are SQLite's")
async def test_the_first_error_of_a_damaged_database_is_the_last_thing_written(path: Path) -> None:
    async with watching(path) as told:
        saw(DatabaseError("database disk image is malformed"))
        await until(lambda: told == [DAMAGED])
        with pytest.raises(OperationalError, match="damaged"), writing():
            pytest.fail("nothing may be written")


def test_where_nobody_watches_there_is_no_trouble() -> None:
    assert saw(OperationalError("database is locked")) == LOCKED
    storage_watch.try_now()
    assert trouble() is None
