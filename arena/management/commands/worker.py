"""`manage.py worker`: lends this machine's processors to an arena with its host elsewhere (docs/cluster.md)."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from importlib.util import find_spec
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from arena import paths
from arena.bots.process.sandbox import best_level
from arena.management.arguments import whole
from arena.management.match_arguments import seconds
from arena.management.tables import check_postgresql
from arena.transports.own_process import command
from arena.work.kinds import WORKER_KINDS
from arena.work.machine_class import LONGEST_CLASS, is_class, own_class
from arena.work.rules_version import rules_version
from arena.work.workers import about
from arena.work.workers.about import TOLD

MOST_SLOTS = 256
GRACE_S, PATIENCE_S, AGAIN_S = 20.0, 30.0, 1.0
# Of arena[cluster].
NEEDED = ("procrastinate", "psycopg_pool")


class Command(BaseCommand):
    help = "Compute for an arena whose host is on another machine: matches between programs, analysis."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        cores, every = os.cpu_count() or 1, ",".join(WORKER_KINDS)
        slots = whole(1, MOST_SLOTS, "a number of runs")
        parser.add_argument(
            "--slots", type=slots, default=cores, metavar="N", help=f"runs at once ({cores}, the cores)"
        )
        parser.add_argument("--kinds", type=_kinds, default=tuple(WORKER_KINDS), metavar="…", help=f"of work ({every})")
        parser.add_argument(
            "--class", dest="machine_class", default=own_class(), type=_class, metavar="NAME",
            help=f"the class of this machine, which work may ask for ({own_class()})",
        )  # fmt: skip
        parser.add_argument(
            "--grace", type=seconds, default=GRACE_S, metavar="S", help=f"to end what runs ({GRACE_S:g})"
        )
        parser.add_argument("--check", action="store_true", help="look at rights, TLS and sandbox, and take nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        check_postgresql()
        if options["check"]:
            self._check()
            return
        for name in NEEDED:
            if find_spec(name) is None:
                raise CommandError(f"No module named {name!r}. Run pip install 'arena[cluster]'.")
        self._until_useful()
        lent = about.About(
            about.new_name(), options["machine_class"], options["slots"], about.speed(), rules_version(),
            (paths.version() or "a checkout")[:32], int(best_level()), options["kinds"],
        )  # fmt: skip
        begin(lent, options["grace"])

    def _until_useful(self) -> None:
        """Wait a while for a database that only starts later, as after a power cut; whatever else is wrong stays so."""
        from arena.management.worker_checks import hindrance

        end, said = time.monotonic() + PATIENCE_S, False
        while found := hindrance():
            words = f"{found.about}: {found.words}\nTo do: {found.todo}"
            if found.about != "database" or time.monotonic() > end:
                raise CommandError(words)
            if not said:
                self.stderr.write(f"{words}\nTrying again for {PATIENCE_S:g} s.")
            said = True
            time.sleep(AGAIN_S)

    def _check(self) -> None:
        from arena.management.commands.doctor import line
        from arena.management.findings import Severity
        from arena.management.worker_checks import examine_worker

        found = examine_worker(settings.ARENA_SANDBOX_MIN)
        for finding in found:
            self.stdout.write(line(finding))
        if any(finding.state == Severity.WRONG for finding in found):
            sys.exit(1)


def begin(lent: about.About, grace_s: float) -> NoReturn:
    """Become a process that has nothing of Django but the settings: it lives long, and may run beside many others."""
    known = connection.get_connection_params()
    database = {name: value for name, value in known.items() if name not in ("cursor_factory", "context")}
    told = json.dumps([lent._asdict(), grace_s, database])
    sys.stdout.flush()
    words = command("arena.management.working")
    os.execve(words[0], words, {**os.environ, TOLD: told})  # not in the arguments, which everybody can read


def _kinds(text: str) -> tuple[str, ...]:
    kinds = tuple(word for word in text.replace(",", " ").split() if word)
    if not kinds or set(kinds) - set(WORKER_KINDS):
        raise argparse.ArgumentTypeError(f"{text!r}: expected kinds of work, from {', '.join(WORKER_KINDS)}")
    return kinds


def _class(text: str) -> str:
    if not is_class(text):
        raise argparse.ArgumentTypeError(
            f"{text[:80]!r}: expected a name of 1 to {LONGEST_CLASS} characters, such as c5"
        )
    return text
