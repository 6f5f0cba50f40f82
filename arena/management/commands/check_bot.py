"""`manage.py check_bot`: see `arena.management.bot_checks`, which `manage.py` calls before it loads Django."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand

from arena.management.bot_checks import main, make_parser


class Command(BaseCommand):
    help = make_parser().format_help()
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)

    def run_from_argv(self, argv: list[str]) -> None:
        """Its arguments are its own."""
        sys.exit(main(argv[2:]))

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(main(options["words"]))
