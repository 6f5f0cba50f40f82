"""A new database is its owner's alone; and a step of an upgrade that is killed before it is recorded leaves nothing
behind, so `migrate` goes on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection, migrations, models
from django.db.migrations.migration import Migration
from django.db.migrations.state import ProjectState

from arena.management.commands.migrate import RecordingExecutor
from tests.kit.commands import manage


@pytest.mark.service
@pytest.mark.parametrize("is_there", [False, True])
def test_nobody_else_reads_a_new_database(tmp_path: Path, is_there: bool) -> None:
    """In it are the sessions of everybody, and of staff."""
    file = tmp_path / "arena.sqlite3"
    if is_there:  # left by a command that has looked for the tables
        assert manage(tmp_path, "replay").returncode == 1
        assert file.stat().st_size and file.stat().st_mode & 0o777 == 0o644
    assert manage(tmp_path, "migrate", "contenttypes", "--verbosity", "0").returncode == 0
    assert file.stat().st_size and file.stat().st_mode & 0o777 == 0o600


class Killed(Exception):
    """In place of `kill -9`."""


class KilledExecutor(RecordingExecutor):
    def record_migration(self, *step: Any, **more: Any) -> None:
        raise Killed


def step() -> Migration:
    """With an index, which Django creates last."""
    made = Migration("9999_step", "arena")
    fields: list[Any] = [("id", models.BigAutoField(primary_key=True)), ("n", models.IntegerField(db_index=True))]
    made.operations = [migrations.CreateModel("Step", fields)]  # type: ignore[misc]
    return made


def test_a_step_and_its_record_are_one_transaction(transactional_db: None) -> None:
    with pytest.raises(Killed):
        KilledExecutor(connection).apply_migration(ProjectState(), step())
    assert "arena_step" not in connection.introspection.table_names()
    executor = RecordingExecutor(connection)
    try:
        state = executor.apply_migration(ProjectState(), step())
        assert ("arena", "9999_step") in executor.recorder.applied_migrations()
        with connection.cursor() as cursor:
            found = connection.introspection.get_constraints(cursor, "arena_step")
        assert any(each["columns"] == ["n"] and each["index"] for each in found.values())
        executor.unapply_migration(ProjectState(), step())
        assert state is not None
    finally:
        executor.recorder.record_unapplied("arena", "9999_step")
    assert "arena_step" not in connection.introspection.table_names()
