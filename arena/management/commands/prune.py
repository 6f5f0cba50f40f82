"""`manage.py prune --wires-older-than 90d`: delete the wires of bots in old matches."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Exists, OuterRef

from arena.models import Seat, WireChunk

# The number of seats whose wires are deleted in one transaction: a running server waits no longer than that.
AT_ONCE = 200


def days(text: str) -> timedelta:
    """`90d`, days. Raises ArgumentTypeError."""
    found = re.fullmatch(r"([1-9][0-9]{0,4})d", text, re.ASCII)
    if found is None:
        raise argparse.ArgumentTypeError(f"received {text!r}, expected a number of days such as 90d")
    return timedelta(days=int(found[1]))


class Command(BaseCommand):
    help = "Delete the wires of matches that ended long ago. Logs, results and ratings stay. The server may be running."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--wires-older-than", type=days, required=True, metavar="DAYS", help="such as 90d")
        parser.add_argument("--dry-run", action="store_true", help="only say how many wires there are")

    def handle(self, *args: Any, **options: Any) -> None:
        before = datetime.now(UTC) - options["wires_older_than"]
        chunks = WireChunk.objects.filter(seat=OuterRef("pk"))
        seats = Seat.objects.filter(Exists(chunks), match__ended__lt=before)
        if options["dry_run"]:
            self.stdout.write(f"{seats.count()} wires of matches that ended before {before:%Y-%m-%d %H:%M} UTC.")
            return
        deleted = 0
        while some := list(seats.values_list("pk", flat=True)[:AT_ONCE]):
            WireChunk.objects.filter(seat__in=some).delete()
            deleted += len(some)
        self.stdout.write(f"Deleted {deleted} wires of matches that ended before {before:%Y-%m-%d %H:%M} UTC.")
