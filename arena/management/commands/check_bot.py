"""`manage.py check_bot`: see `arena.management.bot_checks`, which `manage.py` calls before it loads Django."""

from __future__ import annotations

from arena.management.bot_checks import main, make_parser
from arena.management.own_arguments import OwnArguments


class Command(OwnArguments):
    help = make_parser().format_help()

    def main(self, words: list[str]) -> int:
        return main(words)
