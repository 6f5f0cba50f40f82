"""`manage.py drain`: play running matches to their end, begin nothing new, and wait until the server has stopped."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from arena import paths
from arena.cluster.lease import lease_of_host
from arena.management.account import this_account
from arena.models import Match
from arena.rooms import draining

LOOK_S = 0.5


class Command(BaseCommand):
    help = "Let running matches be played to their end, begin no others, then stop the server."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--at", type=_moment, metavar="18:00", help="from this time of today or tomorrow (UTC) on")
        parser.add_argument("--cancel", action="store_true", help="cancel the order")
        parser.add_argument("--no-wait", action="store_true", help="give the order and return at once")

    def handle(self, *args: Any, **options: Any) -> None:
        who = f"{this_account()} (manage.py)"
        if options["cancel"]:
            if not draining.call_off(who):
                raise CommandError("Nobody has asked this server to drain. Nothing was done.")
            self.stdout.write("Called off: new matches begin again.")
            return
        lease = lease_of_host("")
        if not (holder := lease.holder()):
            raise CommandError("No server runs on this database: there is nothing to drain. Nothing was done.")
        at = options["at"] or datetime.now(UTC)
        draining.order(at, who)
        self.stdout.write(
            f"Nothing new begins from {at:%H:%M} UTC on. Cancel this with: {paths.PROGRAM} drain --cancel"
        )
        if not options["no_wait"]:
            self._wait(lease, holder)

    def _wait(self, lease: Any, holder: str) -> None:
        """Wait until this holder has gone. Interrupting the command leaves the order in place."""
        before = -1
        while lease.holder() == holder:
            if draining.ordered() is None and lease.holder() == holder and not _is_stopping(lease, holder):
                raise CommandError("Somebody has cancelled it: the server goes on.")
            left = Match.objects.filter(ended=None, started__isnull=False).exclude(clock="none").count()
            if left != before:
                self.stdout.write(f"{left} {'match' if left == 1 else 'matches'} with a clock still running.")
                before = left
            connection.close()
            time.sleep(LOOK_S)
        self.stdout.write("The server has stopped.")


def _is_stopping(lease: Any, holder: str) -> bool:
    """Whether the server is stopping: the order disappears a moment before the server does."""
    until = time.monotonic() + 15
    while time.monotonic() < until:
        if lease.holder() != holder:
            return True
        time.sleep(LOOK_S)
    return False


def _moment(text: str) -> datetime:
    try:
        clock = datetime.strptime(text, "%H:%M").time()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a time such as 18:00, in UTC") from None
    now = datetime.now(UTC)
    at = datetime.combine(now.date(), clock, UTC)
    return at if at > now else at + timedelta(days=1)
