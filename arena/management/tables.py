"""Whether the database is there and has the tables of this program."""

from __future__ import annotations

from pathlib import Path

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from arena import paths
from arena.core.storage_trouble import cause_of

# Where a file of SQLite counts the changes of its tables (https://www.sqlite.org/fileformat.html, 1.3.9).
_COUNTED_AT = slice(40, 44)


def make_new_database() -> None:
    """Create all tables if there is no database yet."""
    if new_file(connections[DEFAULT_DB_ALIAS]) is not None:
        call_command("migrate", verbosity=0)


def new_file(database: BaseDatabaseWrapper) -> Path | None:
    """The file of SQLite if it is not there yet, or has no table yet, as any command that looks for them leaves it."""
    if not isinstance(database, DatabaseWrapper) or database.is_in_memory_db():
        return None
    file = Path(database.settings_dict["NAME"])
    return file if not file.exists() or (file.is_file() and not _changes_of_tables(file)) else None


def _changes_of_tables(file: Path) -> int:
    """How often tables were made or changed, as the header says; 0 also where that waits in the log beside it."""
    with file.open("rb") as database:
        return int.from_bytes(database.read(_COUNTED_AT.stop)[_COUNTED_AT])


def check_tables() -> None:
    """Raises CommandError saying what to do if the database cannot be opened, or is of another release."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        newer = _newer_steps(executor.loader)
    except Error as why:
        cause, said = cause_of(why), " ".join(str(why).split())
        todo = f"{'' if said.endswith('?') else '.'} {cause.remedy}" if cause else ""
        raise CommandError(f"The database cannot be opened: {said}{todo}") from why
    finally:
        connection.close()
    if missing:
        words = f"run {paths.PROGRAM} migrate"
        raise CommandError(f"The database has no tables yet, or old ones ({len(missing)} steps): {words}")
    if newer:
        words = "install the newer release again, or restore the backup from before its upgrade"
        raise CommandError(f"The database has the tables of a newer release (step {newer[-1]}): {words}")


def check_postgresql() -> None:
    """Raises CommandError if this database is none that workers and their host can share."""
    if connection.vendor != "postgresql":
        raise CommandError("DATABASE_URL names no PostgreSQL: workers meet their host there (docs/cluster.md).")


def why_no_tables() -> str:
    """The same as a sentence; "" if the tables are those of this release."""
    try:
        check_tables()
    except CommandError as why:
        return str(why)
    return ""


def _newer_steps(loader: MigrationLoader) -> list[str]:
    """Migrations of the tables that this program does not know."""
    known = {name for _, name in loader.disk_migrations}
    known |= {name for step in loader.disk_migrations.values() for _, name in step.replaces}
    return sorted(name for app, name in loader.applied_migrations if app == "arena" and name not in known)
