"""What can keep a database from being written: words for everybody, what to do, and how each is recognised."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.db import DatabaseError, Error, InterfaceError, OperationalError

from arena import paths


class StorageTrouble(NamedTuple):
    """`words` are for all, `todo` for the administrator. After a `final` one nothing is written until a restart."""

    code: str
    words: str
    todo: str
    final: bool = False

    @property
    def remedy(self) -> str:
        """What to do where no server plays on."""
        return self.todo.removesuffix(GOES_ON).strip()


GOES_ON = "Then play goes on by itself."
FULL = StorageTrouble("full", "The disk of this server is full.", f"Make room on the disk of ARENA_DATA. {GOES_ON}")
LOCKED = StorageTrouble(
    "locked",
    "Another program keeps the database of this server locked.",
    f"End the program that has the database open (fuser arena.sqlite3 names it). {GOES_ON}",
)
READ_ONLY = StorageTrouble(
    "read_only",
    "The database of this server cannot be written.",
    f"Give its files and their folder to the user of the server, and mount the disk for writing. {GOES_ON}",
)
NOT_OPEN = StorageTrouble(
    "not_open",
    "The database of this server cannot be opened.",
    "Give its files and their folder to the user of the server, and raise the limit on open files if it is low "
    f"({paths.PROGRAM} doctor). {GOES_ON}",
)
BROKEN = StorageTrouble(
    "broken",
    "The disk of this server reports errors.",
    f"Look at the disk (dmesg) and at the largest file that the server may write (ulimit -f). {GOES_ON}",
)
AWAY = StorageTrouble(
    "away", "The database of this server cannot be reached.", f"Start it, or correct DATABASE_URL. {GOES_ON}"
)
# Not one of the storage, so the next attempt may succeed at once.
COLLIDED = StorageTrouble("collided", "Two changes of the database waited for each other: this one was not made.", "")
DAMAGED = StorageTrouble(
    "damaged",
    "The database of this server is damaged.",
    "Stop the server, keep the damaged files, and restore the newest backup (docs/deployment.md, Backup).",
    final=True,
)
MOVED = StorageTrouble(
    "moved",
    "The files of the database were deleted or replaced while the server ran.",
    "What the old ones hold is being saved.",
    final=True,
)

# Recognised by the messages of SQLite and PostgreSQL. Any other error is a bug of ours.
_CAUSES = (
    (re.compile(r"malformed|not a database|database corruption|invalid page in block", re.I), DAMAGED),
    (re.compile(r"disk is full|no space left|disk full|quota exceeded", re.I), FULL),
    (re.compile(r"\blocked\b|lock timeout", re.I), LOCKED),
    (re.compile(r"read-?only", re.I), READ_ONLY),
    (re.compile(r"unable to open database|too many open files", re.I), NOT_OPEN),
    (re.compile(r"disk I/O error|could not (write|extend|read|fsync)", re.I), BROKEN),
    (re.compile(r"connect|terminating|closed|shutting down|starting up|timeout|SSL|server", re.I), AWAY),
)
# What is to be done where the database is PostgreSQL, which may be on another machine.
FULL_THERE = FULL._replace(todo=f"Make room on the disk of PostgreSQL. {GOES_ON}")
LOCKED_THERE = LOCKED._replace(todo=f"End the session that keeps its rows (pg_stat_activity names it). {GOES_ON}")
READ_ONLY_THERE = READ_ONLY._replace(
    todo=f"Let it take writes (default_transaction_read_only), or let DATABASE_URL name the one that does. {GOES_ON}"
)
BROKEN_THERE = BROKEN._replace(todo=f"Look at the disk of PostgreSQL (dmesg) and at its log. {GOES_ON}")
# Those by which PostgreSQL names its errors: its messages may be in any language.
_STATES = {"53100": FULL_THERE, "55P03": LOCKED_THERE, "58030": BROKEN_THERE, "25006": READ_ONLY_THERE}
_STATES |= dict.fromkeys(("XX001", "XX002"), DAMAGED)
_STATES |= dict.fromkeys(("53300", "57P01", "57P02", "57P03"), AWAY) | dict.fromkeys(("40001", "40P01"), COLLIDED)


def cause_of(error: BaseException | None) -> StorageTrouble | None:
    """The trouble that this error indicates; None if it is unrelated to storage."""
    while error is not None and not isinstance(error, Error):
        error = error.__cause__ or error.__context__
    if not isinstance(error, DatabaseError | InterfaceError):
        return None
    if (named := _STATES.get(state_of(error))) is not None:
        return named
    found = next((trouble for pattern, trouble in _CAUSES if pattern.search(str(error))), None)
    return found if isinstance(error, OperationalError | InterfaceError) or found is DAMAGED else None


def state_of(error: BaseException) -> str:
    """What PostgreSQL calls this error, "" for any other one."""
    return getattr(error.__cause__, "sqlstate", None) or ""
