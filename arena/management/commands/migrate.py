"""Django's `migrate`, where a step and the record of it are one transaction: after `kill -9`, it goes on.

Django records a step that creates an index or a foreign key in a second transaction. Killed between the two, it would
never go on, since the tables of that step exist already.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connection, connections
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from arena.cluster.lease import lease_of_host, who_stays
from arena.management.tables import new_file


class RecordingExecutor(MigrationExecutor):
    """Applies a migration and records it in its transaction, where the database can undo changes of tables; otherwise,
    and if it is faked, as Django does.
    """

    def apply_migration(self, state: Any, migration: Migration, fake: bool = False, fake_initial: bool = False) -> Any:
        whole = migration.atomic and self.connection.features.can_rollback_ddl
        if fake or fake_initial or not whole:
            return super().apply_migration(state, migration, fake, fake_initial)
        if self.progress_callback:
            self.progress_callback("apply_start", migration, fake)
        with self.connection.schema_editor(atomic=True) as editor:
            state = migration.apply(state, editor)
            for statement in editor.deferred_sql:
                editor.execute(statement, None)
            editor.deferred_sql.clear()
            self.record_migration(migration)  # type: ignore[arg-type, call-arg]  # as its stubs say of an old Django
        if self.progress_callback:
            self.progress_callback("apply_success", migration, fake)
        return state


class Command(migrate.Command):
    """Everything else, the other options and what is printed, is Django's."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--alone", action="store_true", help="do nothing if a server uses this folder (SQLite)")

    def execute(self, *args: Any, **options: Any) -> Any:
        """Nobody but its owner may read a new file of SQLite: it holds sessions, as the secret key makes them."""
        if options.get("alone"):
            _check_alone()
        with suppress(OSError):  # why it cannot be made is said when it is opened
            if (file := new_file(connections[options["database"]])) is not None:
                file.touch()
                file.chmod(0o600)
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        migrate.MigrationExecutor = RecordingExecutor  # type: ignore[attr-defined]
        super().handle(*args, **options)


def _check_alone() -> None:
    """Raises CommandError if a server uses this database and a second one could not: on PostgreSQL it can."""
    lease = lease_of_host("migrate")
    if connection.vendor == "sqlite" and (holder := who_stays(lease)):
        raise CommandError(lease.taken(holder))
