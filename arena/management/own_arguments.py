"""Commands that read their arguments themselves, and run without Django where `manage.py` can start them so."""

from __future__ import annotations

import argparse
import sys
from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand


class OwnArguments(BaseCommand, ABC):
    """A command whose words all go to `main`, even `-v`, which in Django's commands takes a number."""

    requires_system_checks: list[str] = []

    @abstractmethod
    def main(self, words: list[str]) -> int:
        """Returns the exit status."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)

    def run_from_argv(self, argv: list[str]) -> None:
        sys.exit(self.main(argv[2:]))

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(self.main(options["words"]))
