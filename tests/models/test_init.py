from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command

import arena.models
from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parent.parent.parent


def test_every_table_is_offered_by_the_package() -> None:
    assert sorted(model.__name__ for model in apps.get_app_config("arena").get_models()) == sorted(arena.models.__all__)


@pytest.mark.django_db
def test_migrations_are_complete() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.mark.long
def test_a_new_game_is_not_a_migration(tmp_path: Path) -> None:
    game = (ROOT / "games/connect_four.py").read_text(encoding="utf-8").replace('"connect-four', '"connect-four-again')
    (tmp_path / "games").mkdir()
    (tmp_path / "games/connect_four_again.py").write_text(game, encoding="utf-8")
    command = [sys.executable, "manage.py", "makemigrations", "arena", "--check", "--dry-run"]
    environ = {**os.environ, "PYTHONPATH": str(tmp_path), "DJANGO_SETTINGS_MODULE": "arena.settings"}
    run = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=DEADLINE_S)
    assert (run.returncode, run.stdout) == (0, "No changes detected in app 'arena'\n"), run.stderr
