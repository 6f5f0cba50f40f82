"""`manage.py runner`: see `arena.play.runner`, which `manage.py` calls before it loads Django."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand

from arena.management import failing
from arena.play.runner import USAGE, main


class Command(BaseCommand):
    help = USAGE
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(main(options["words"], failing.lines_of))
