"""`manage.py match`: see `arena.management.matches`, which `manage.py` calls before it loads Django."""

from __future__ import annotations

from arena.management.match_arguments import make_parser
from arena.management.matches import main
from arena.management.own_arguments import OwnArguments


class Command(OwnArguments):
    help = make_parser().format_help()

    def main(self, words: list[str]) -> int:
        return main(words)
