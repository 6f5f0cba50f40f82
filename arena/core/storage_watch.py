"""Detects whether the database can be written, what is wrong if it cannot, and what to do about it.

Code that gets a database error reports it here (`saw`); `trouble()` returns what is known. While there is trouble, a
thread checks every second whether writing works again. On SQLite the thread also checks every second whether the files
are still those that were opened: SQLite keeps writing to deleted files, and those events would be lost with the
process. If so, nothing more is written, and the contents of the old files are saved.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from django.db import DatabaseError, Error, OperationalError, ProgrammingError, connection

from arena.core.storage_trouble import (
    BROKEN,
    COLLIDED,
    DAMAGED,
    FULL,
    MOVED,
    READ_ONLY_THERE,
    StorageTrouble,
    cause_of,
)

log = logging.getLogger("arena.storage")

EVERY_S = 1.0
LOCKED_S = 0.2
# Less free space than this counts as full: SQLite's log may have room left, but another move might not fit.
LEAST_BYTES = 1 << 20
# Takes as much on the disk of PostgreSQL, for a moment: what needs no room can be written to a full one.
TAKES_ROOM = f"CREATE TEMPORARY TABLE arena_room ON COMMIT DROP AS SELECT generate_series(1, {LEAST_BYTES // 32})"
# How many seconds a start may check the database for damage; a larger database is checked in part.
CHECK_S = 5.0
_STEPS = 10_000
RESCUED = "rescued-*.sqlite3"
IS_SAVED = "Everything that was played is saved in the database: restart the server."


_watching: list[Watch] = []
# On a front, which does not watch: the trouble reported by the host.
told: StorageTrouble | None = None
# Held while the log is written, so that no commit comes between the check of the files and their saving.
_writing = threading.Lock()


def saw(error: BaseException | None) -> StorageTrouble | None:
    """Report a database error. Returns the trouble it indicates, None if it is unrelated to storage."""
    found = cause_of(error)
    if found is None and isinstance(error, DatabaseError) and (now := trouble()) is not None and now.final:
        return now  # the new file in place of a deleted one has no tables
    if found not in (None, COLLIDED) and _watching:
        _watching[-1].suspect(found)
    return found


def try_now() -> None:
    """Check now whether the database can be written. Blocks: call it from a thread."""
    if _watching:
        _watching[-1].try_now()


def trouble() -> StorageTrouble | None:
    """The current trouble; None if all is well, or nobody watches and no host has reported any."""
    return _watching[-1].trouble if _watching else told


@contextmanager
def writing() -> Iterator[None]:
    """Wraps every transaction of the log. Raises OperationalError if nothing may be written any more."""
    with _writing:
        found = trouble()
        if found is not None and found.final:
            raise OperationalError(found.words)
        try:
            yield
        except Error as error:
            saw(error)
            raise


class Watch:
    """Watches the database of this process from `start` to `close`. `on_change` is called on the loop."""

    def __init__(self, on_change: Callable[[], None], every_s: float = EVERY_S) -> None:
        self.trouble: StorageTrouble | None = None
        self._on_change = on_change
        self._every_s = every_s
        self._loop = asyncio.get_running_loop()
        self._files = Files(Path(connection.settings_dict["NAME"])) if connection.vendor == "sqlite" else None
        self._woken = threading.Event()
        self._looking = threading.Lock()
        self._setting = threading.Lock()
        self._tried_at = 0.0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="arena-storage", daemon=True)

    def start(self) -> None:
        _watching.append(self)
        self._thread.start()

    async def close(self) -> None:
        self._closed = True
        while self._thread.is_alive():
            self._woken.set()
            await asyncio.sleep(0.001)
        _watching.remove(self)

    def suspect(self, found: StorageTrouble) -> None:
        """Record a trouble, from any thread; it holds until writing has worked again."""
        if self.trouble is None or found.final:
            self._set(found)
        self._woken.set()

    def _run(self) -> None:
        try:
            while not self._closed:
                self._woken.clear()
                self._look()
                self._woken.wait(self._every_s)
        finally:
            connection.close()
            if self._files is not None:
                self._files.close()

    def try_now(self) -> None:
        """Try to write, unless somebody just has, to notice trouble early. Blocks: call it from a thread."""
        self._look(writing=True)

    def _look(self, writing: bool = False) -> None:
        with self._looking:
            if not (self.trouble and self.trouble.final):
                self._judge(writing)

    def _judge(self, writing: bool) -> None:
        try:
            if self._files is not None and (what := self._files.changed()):
                with _writing:
                    self._set(MOVED._replace(words=f"{MOVED.words[:-1]} ({what})."))
                self._set(self.trouble and self.trouble._replace(todo=self._files.save()))
            elif self._files is not None and self._files.shrunk() and self._files.is_damaged():
                self._set(DAMAGED)
            elif self._files is not None and self._files.has_no_room():
                self._set(FULL)
            elif (writing or self.trouble is not None) and time.monotonic() - self._tried_at >= self._every_s:
                self._tried_at = time.monotonic()
                self._set(self._tried())
        except (Error, sqlite3.Error, OSError) as error:
            self._set(cause_of(error) or cause_of(OperationalError(str(error))) or BROKEN)
        except Exception:
            log.exception("the database could not be looked at")

    def _tried(self) -> StorageTrouble | None:
        """What keeps the database from being written, None if it can be. Raises its error if that fails."""
        if self._files is not None:
            self._files.write()
            return None
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT current_setting('transaction_read_only')")
                if cursor.fetchone() == ("on",):
                    return READ_ONLY_THERE
                if self.trouble is not None and self.trouble.code == FULL.code:
                    with suppress(ProgrammingError):  # this role may make no temporary tables
                        cursor.execute(TAKES_ROOM)
        finally:
            connection.close()
        return None

    def _set(self, found: StorageTrouble | None) -> None:
        """Set the trouble, from any thread; a final one stays even if two threads report at once."""
        with self._setting:
            before = self.trouble
            if found == before or (before and before.final and (found is None or found.code != before.code)):
                return
            self.trouble = found
        if found is None:
            log.warning("the database can be written again")
        elif before is None or before.code != found.code or found.todo != before.todo:
            log.log(logging.CRITICAL if found.final else logging.ERROR, "%s %s", found.words, found.todo)
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._on_change)


class Files:
    """The files of a SQLite database, held open: while this connection is open, SQLite removes none of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard: sqlite3.Connection | None = None
        self._known: dict[Path, tuple[int, int]] = {}
        self._sizes: dict[Path, int] = {}

    def _opened(self) -> sqlite3.Connection:
        if self._guard is None:
            uri = f"{self._path.absolute().as_uri()}?mode=rw"
            guard = sqlite3.connect(uri, timeout=LOCKED_S, uri=True, isolation_level=None, check_same_thread=False)
            guard.execute("SELECT count(*) FROM sqlite_master").fetchone()
            self._guard = guard
            paths = [self._path, *(Path(f"{self._path}-{name}") for name in ("wal", "shm"))]
            self._known = {path: _identity(path) for path in paths if path.exists()}
        return self._guard

    def close(self) -> None:
        if self._guard is not None:
            self._guard.close()
            self._guard = None

    def changed(self) -> str:
        """Which file is not the one that was opened, and what happened to it; "" if all are."""
        self._opened()
        for path, known in self._known.items():
            try:
                if _identity(path) != known:
                    return f"{path.name} was replaced"
            except FileNotFoundError:
                return f"{path.name} was deleted"
        return ""

    def shrunk(self) -> bool:
        """Whether a file is shorter than at the last check, which is almost always damage."""
        sizes = {path: path.stat().st_size for path in self._known if not path.name.endswith("-shm")}
        before, self._sizes = self._sizes, sizes
        return any(size < before.get(path, 0) for path, size in sizes.items())

    def has_no_room(self) -> bool:
        return shutil.disk_usage(self._path.parent).free < LEAST_BYTES

    def is_damaged(self) -> bool:
        """Whether the database is damaged, read by a new connection: the open one caches pages."""
        with closing(sqlite3.connect(self._path, timeout=LOCKED_S)) as looking:
            return bool(_damage(looking))

    def write(self) -> None:
        """Run a whole transaction that changes nothing."""
        guard = self._opened()
        (version,) = guard.execute("PRAGMA user_version").fetchone()
        guard.execute(f"PRAGMA user_version = {int(version)}")

    def save(self) -> str:
        """Save the contents of the old files, in the database if it exists, else next to it. Returns what to do."""
        try:
            if self._is_whole_but_for_its_log() and self._moved_into_the_database():
                return IS_SAVED
            saved = self._path.with_name(datetime.now(UTC).strftime(RESCUED.replace("*", "%Y%m%d-%H%M%S")))
            copy_whole(self._opened(), saved)
        except (OSError, sqlite3.Error) as why:
            return (
                f"What was played last could not be saved ({why}). "
                "Stop the server and restore the newest backup (docs/deployment.md, Backup)."
            )
        return (
            f"Everything that was played is saved in {saved.name}: stop the server, remove {self._path.name} and the "
            f"files that begin so, rename {saved.name} to {self._path.name}, and start the server."
        )

    def _moved_into_the_database(self) -> bool:
        (busy, *_) = self._opened().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def _is_whole_but_for_its_log(self) -> bool:
        """Whether the database is in its place, and no other process has begun a new log for it."""
        new = Path(f"{self._path}-wal")
        empty = not new.exists() or new.stat().st_size == 0 or _identity(new) == self._known.get(new)
        return empty and self._path.exists() and _identity(self._path) == self._known[self._path]


def why_not_start(path: Path) -> str:
    """What is wrong with the files of a SQLite database before use, and what to do; "" if nothing is."""
    rescued = sorted(path.parent.glob(RESCUED))
    if rescued:
        return (
            f"{path.parent} holds {rescued[-1].name}: the files of the database were replaced while a server ran, and "
            f"this is what was played. Remove {path.name} and the files that begin so and rename it to that; or move "
            "it elsewhere, and play goes on with what is there now."
        )
    if not path.exists():
        return ""
    try:
        with closing(sqlite3.connect(path, timeout=LOCKED_S)) as looking:
            found = _damage(looking)
    except sqlite3.Error as error:
        cause = cause_of(OperationalError(str(error)))
        found = str(error) if cause is DAMAGED else ""
    return f"{DAMAGED.words[:-1]}: {found}. {DAMAGED.todo}" if found else ""


def copy_whole(source: sqlite3.Connection, target: Path) -> None:
    """Copy one consistent state of the database. Raises sqlite3.Error or OSError; then there is no target."""
    part = target.with_suffix(".part")
    try:
        with closing(sqlite3.connect(part)) as written:
            # In one step: WAL lets the server write meanwhile, and between steps each write would restart the copy.
            source.backup(written)
            (found,) = written.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {found}")
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        part.chmod(0o600)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _damage(looking: sqlite3.Connection) -> str:
    """What is damaged, "" if nothing is or nothing was found within `CHECK_S`."""
    end = time.monotonic() + CHECK_S
    looking.set_progress_handler(lambda: int(time.monotonic() > end), _STEPS)
    try:
        (found,) = looking.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        log.info("the database was looked through for damage in part only, for %g s", CHECK_S)
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        looking.set_progress_handler(None, _STEPS)
    return "" if found == "ok" else str(found)


def _identity(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_dev, stat.st_ino
