"""A new database is its owner's alone; and a step of an upgrade that is killed before it is recorded leaves nothing
behind, so `migrate` goes on.
"""

from __future__ import annotations

import fcntl
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


@pytest.mark.service
def test_beside_a_server_it_does_nothing_if_asked_to_and_says_who_serves(tmp_path: Path) -> None:
    with open(tmp_path / "host.lock", "w+", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("4711")
        lock.flush()
        run = manage(tmp_path, "migrate", "--alone", "--verbosity", "0")
    assert run.returncode == 1 and not (tmp_path / "arena.sqlite3").exists()
    assert "another server (process 4711) already uses the data" in run.stderr and run.stderr.count("\n") == 1
    assert manage(tmp_path, "migrate", "contenttypes", "--alone", "--verbosity", "0").returncode == 0


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
