"""`manage.py replay-room FILE`: a recorded match is played again, without a server, and compared with its log."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand

from arena.bots.replaying.replaying import replayed
from arena.common.logs import escaped
from arena.management.commands.verify import read, words
from arena.match import black_box
from arena.match.record import BadRecord


class Command(BaseCommand):
    help = (
        "Play recorded matches again (black boxes: /m/<id>/black-box.jsonl, or `black_box`): what the bots said goes "
        "through the adapters, the rules and the clocks of today, at the times of the record. Says whether the same "
        "log comes out, else the first event that differs. Exit 1 if anything differs, or if a byte was changed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a black box; - for standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        different = [name for name in options["files"] if not self._comes_out(name)]
        sys.exit(1 if different else 0)

    def _comes_out(self, name: str) -> bool:
        try:
            box = black_box.verify(read(name))
        except (BadRecord, OSError) as why:
            self.stdout.write(escaped(f"{name}: REFUSED: {why}"))
            return False
        self.stdout.write(f"{name}: {words(box.record)}")
        boxed_by = escaped(", ".join(f"{what} {version}" for what, version in box.versions.items()))
        found = replayed(box)
        for note in found.notes:
            self.stdout.write(escaped(f"  {note}"))
        if found.difference:
            self.stdout.write(escaped(f"  DIFFERS: {found.difference}"))
            self.stdout.write(
                f"  {found.events} of {len(box.record.events)} events came out again; boxed by {boxed_by}"
            )
        else:
            self.stdout.write(f"  the same log: all {found.events} events came out again; boxed by {boxed_by}")
        return not found.difference
