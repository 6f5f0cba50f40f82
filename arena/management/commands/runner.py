"""`manage.py runner`: see `arena.play.runner`, which `manage.py` calls before it loads Django."""

from __future__ import annotations

from arena.management import failing
from arena.management.own_arguments import OwnArguments
from arena.play.runner import USAGE, main


class Command(OwnArguments):
    help = USAGE

    def main(self, words: list[str]) -> int:
        return main(words, failing.lines_of)
