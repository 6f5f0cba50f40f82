"""`manage.py black_box MATCH`: one file with everything needed to play a match again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.bots.replaying.boxing import black_box_of
from arena.management.tables import check_tables
from arena.models import Match


class Command(BaseCommand):
    help = (
        "Write the black box of a match that has ended: its log, what went over both wires, its clocks, the versions "
        "that played it and the head of its record. `replay-room` plays it again. It contains "
        "everything that both bots said."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("match", metavar="MATCH", help="its id, as in /m/<id>/")
        parser.add_argument("file", nargs="?", metavar="FILE", help="where to write it; without, standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        check_tables()
        match, file = options["match"], options["file"]
        if not Match.objects.filter(pk=match).exists():
            raise CommandError(f"there is no match {match} in this database")
        try:
            text = black_box_of(match)
            if not text:
                raise CommandError(f"match {match} runs: it has a black box once it is over")
            if file is None:
                sys.stdout.write(text)
            else:
                Path(file).write_text(text, "ascii")
        except (ValueError, OSError) as why:
            raise CommandError(f"match {match}: {why}") from None
