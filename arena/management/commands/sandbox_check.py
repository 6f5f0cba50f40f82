"""`manage.py sandbox_check`: the sandbox level of this machine for bots that the server runs, and why."""

from __future__ import annotations

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from arena.bots.process.sandbox import ADVICE, LEVELS, NotSandboxed, Trial, best_level, demand, self_test


class Command(BaseCommand):
    help = "Attack the sandbox and report what it prevents. Exit 1 below ARENA_SANDBOX_MIN."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        for trial in self_test():
            self._tell(trial)
        level, minimum = best_level(), settings.ARENA_SANDBOX_MIN
        self.stdout.write(f"This machine supports level {level}, good for {LEVELS[level].good_for}.")
        try:
            demand(minimum)
        except NotSandboxed as why:
            self.stderr.write(str(why))
            sys.exit(1)

    def _tell(self, trial: Trial) -> None:
        self.stdout.write(f"Level {trial.level}: {LEVELS[trial.level].made_of}")
        for probe, found in trial.found:
            said = "held back" if found.held else "OPEN"
            self.stdout.write(f"  {said:9}  {probe.name}: {probe.tries} — {found.words}")
        if not trial.holds:
            self.stdout.write(f"  Not given: {trial.why_not}\n  To get it: {ADVICE[trial.level]}")
        self.stdout.write("")
