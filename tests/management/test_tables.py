from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.commands import manage

pytestmark = pytest.mark.service


def test_a_database_with_old_tables_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    assert manage(tmp_path, "migrate", "arena", "0006", "--verbosity", "0").returncode == 0
    run = manage(tmp_path, "serve", "--port", "0", "--no-doors")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("CommandError: The database has no tables yet, or old ones")
    assert run.stderr.endswith("run manage.py migrate\n") and run.stderr.count("\n") == 1


def test_a_database_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite3").mkdir()
    run = manage(tmp_path, "serve", "--port", "0", "--no-doors")
    assert run.returncode == 1
    assert run.stderr == "CommandError: The database cannot be opened: unable to open database file\n"


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
