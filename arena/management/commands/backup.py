"""`manage.py backup FOLDER`: copies the database and the secret key as they are now, while the server runs."""

from __future__ import annotations

import argparse
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from arena.core.storage_watch import copy_whole

DATABASE, KEY = "arena.sqlite3", "secret_key"


class Command(BaseCommand):
    help = "Copy the database (SQLite) and the secret key into a new folder, while the server runs."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that does not exist yet, or is empty")

    def handle(self, *args: Any, **options: Any) -> None:
        source, folder = _source(), Path(options["folder"]).absolute()
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            if any(folder.iterdir()):
                raise CommandError(f"{folder} is not empty: name a new folder, so that no older backup is lost.")
            with closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as read:
                copy_whole(read, folder / DATABASE)
            if has_key := _is_key(settings.ARENA_DATA / KEY):
                shutil.copy(settings.ARENA_DATA / KEY, folder / KEY)
        except (OSError, sqlite3.Error) as why:
            raise CommandError(f"The backup could not be written to {folder}: {why}") from None
        size = (folder / DATABASE).stat().st_size
        words = (
            "It contains the secret key: keep it secret."
            if has_key
            else "Keep SECRET_KEY beside it, which is not in it."
        )
        self.stdout.write(f"Wrote {folder} ({size / 1e6:.1f} MB). {words}")


def _is_key(file: Path) -> bool:
    """Whether the servers use this key: `SECRET_KEY` in their environment takes its place."""
    return file.exists() and file.read_bytes().strip() == settings.SECRET_KEY.encode()


def _source() -> Path:
    if connection.vendor != "sqlite":
        raise CommandError("This database is not SQLite: use pg_dump, and keep SECRET_KEY beside it.")
    source = Path(connection.settings_dict["NAME"]).absolute()
    if not source.exists():
        raise CommandError(f"There is no database yet: {source}")
    return source
