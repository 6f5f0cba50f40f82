"""Five hundred matches with faulty bots, or as many as requested: each ends as it should and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import django

MATCHES = 500


def main(arguments: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests.bots.faulty.many import play_many  # not before Django is set up

    matches = int(arguments[0]) if arguments else MATCHES
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder:
        asyncio.run(play_many(matches, Path(folder)))
    print(f"{matches} matches ended as expected, every opponent was told, and nothing is left")
    return 0
