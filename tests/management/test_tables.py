from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management.base import CommandError
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper

from arena.management import tables
from tests.kit.commands import manage
from tests.kit.server import migrate

pytestmark = pytest.mark.service


def test_a_database_with_old_tables_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    assert manage(tmp_path, "migrate", "arena", "0006", "--verbosity", "0").returncode == 0
    run = manage(tmp_path, "serve", "--port", "0", "--no-doors")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("CommandError: The database has no tables yet, or old ones")
    assert run.stderr.endswith("run manage.py migrate\n") and run.stderr.count("\n") == 1


def test_a_database_of_a_newer_release_is_not_served(tmp_path: Path) -> None:
    migrate(tmp_path)
    with closing(sqlite3.connect(tmp_path / "arena.sqlite3")) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('arena', '9999_later', '2999-01-31')"
        )
    run = manage(tmp_path, "serve", "--port", "0", "--no-doors")
    assert (run.returncode, run.stdout) == (1, "")
    assert "tables of a newer release (step 9999_later): install the newer release again" in run.stderr


def test_a_database_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite3").mkdir()
    run = manage(tmp_path, "serve", "--port", "0", "--no-doors")
    assert run.returncode == 1
    assert run.stderr.startswith("CommandError: The database cannot be opened: unable to open database file. Give its")
    assert run.stderr.endswith(" is low (manage.py doctor).\n") and run.stderr.count("\n") == 1


@pytest.mark.django_db
def test_a_database_that_is_not_there_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    where = {"NAME": "arena", "HOST": "127.0.0.1", "PORT": 1, "OPTIONS": {}}
    away = DatabaseWrapper({**connection.settings_dict, **where}, "away")
    monkeypatch.setattr(tables, "connection", away)
    with pytest.raises(CommandError, match=r"\? Start it, or correct DATABASE_URL\.$"):
        tables.check_tables()


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite3").write_text("hello " * 100)
    run = manage(tmp_path, "serve", "--port", "0", "--no-doors")
    assert run.returncode == 1
    assert run.stderr.startswith("CommandError: The database of this server is damaged: file is not a database. Stop")
    assert "restore the newest backup" in run.stderr and run.stderr.count("\n") == 1


def test_any_command_on_a_damaged_database_is_one_line_too(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite3").write_text("hello " * 100)
    run = manage(tmp_path, "migrate", "--verbosity", "0")
    assert run.returncode == 1 and run.stderr.count("\n") == 1
    assert run.stderr.startswith(
        "arena: file is not a database. The database of this server is damaged. Stop the server"
    )


@pytest.mark.parametrize("words", [("demo",), ("prune", "--wires-older-than", "9d"), ("clearsessions",)])
def test_any_command_on_a_database_without_tables_says_what_makes_them(tmp_path: Path, words: tuple[str, ...]) -> None:
    run = manage(tmp_path, *words)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("arena: The database has no tables yet") and run.stderr.count("\n") == 1
