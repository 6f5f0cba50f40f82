"""`manage.py program`: gives a bot that this server runs files that may travel to workers (docs/cluster.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.bots.process import programs
from arena.bots.process.packing import NotPacked
from arena.management.account import this_account
from arena.management.tables import check_tables
from arena.models import Bot


class Command(BaseCommand):
    help = "Give a bot that this server runs a program that workers can also fetch, or take it back."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="add|remove|list")
        add = acts.add_parser("add", help="pack a folder as the program of a bot; its command is relative to it")
        add.add_argument("slug", metavar="SLUG", help="of the bot, as in the address of its page")
        add.add_argument("folder", metavar="FOLDER", type=Path)
        remove = acts.add_parser("remove", help="run the bot on this machine only, from its folder in ARENA_BOTS")
        remove.add_argument("slug", metavar="SLUG")
        acts.add_parser("list", help="the bots that this server runs, and whether they travel")

    def handle(self, *args: Any, **options: Any) -> None:
        check_tables()
        try:
            {"add": self._add, "remove": self._remove, "list": self._list}[options["act"]](options)
        except NotPacked as why:
            raise CommandError(f"{why}. Nothing was changed.") from None

    def _add(self, options: dict[str, Any]) -> None:
        bot = _bot(options["slug"])
        sha256 = programs.add(bot, options["folder"].absolute(), this_account())
        self.stdout.write(f"{bot.player.name} is run from {programs.folder_of(bot)}\nSHA-256 {sha256}")
        stays = programs.why_stays(bot)
        self.stdout.write(f"It stays on this machine: {stays}" if stays else "It travels.")
        if lacks := programs.why_not_here(bot):
            self.stdout.write(f"It does not start here: {lacks}")

    def _remove(self, options: dict[str, Any]) -> None:
        bot = _bot(options["slug"])
        programs.remove(bot, this_account())
        self.stdout.write(f"{bot.player.name} is run from {programs.folder_of(bot)}, on this machine only.")

    def _list(self, options: dict[str, Any]) -> None:
        for bot in Bot.objects.filter(command__isnull=False).select_related("player").order_by("player__slug"):
            said = programs.why_stays(bot)
            self.stdout.write(f"{bot.player.slug:32} {bot.program[:12] or '-':12}  {said or 'travels'}")


def _bot(slug: str) -> Bot:
    """Raises CommandError if there is none, or one that connects by itself."""
    bot = Bot.objects.select_related("player").filter(player__slug=slug).first()
    if bot is None:
        raise CommandError(f"There is no bot {slug!r}: expected the name in the address of its page, /bots/NAME/")
    if bot.command is None:
        raise CommandError(f"{bot.player.name} connects by itself: expected a bot with a command that this server runs")
    return bot
