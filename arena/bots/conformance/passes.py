"""The last check that a registered bot has passed: what was checked, when, and by the rules of which version.

It counts while the bot is what was checked: its protocol, game and version; of a bot that this server runs its command
and the bytes of its files, of one that connects by itself its token and port, because nobody here sees its files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from arena import paths
from arena.bots.process.packing import NotPacked, sha256_of_folder
from arena.bots.process.programs import folder_of
from arena.models import Audit, Bot
from arena.work.rules_version import rules_version


def seen_of(bot: Bot, files: Mapping[int, str] | None = None) -> dict[str, Any]:
    """What this server sees of the bot. Reads its files, unless they are packed or `files` are given."""
    seen: dict[str, Any] = {"protocol": bot.protocol, "variant": bot.variant, "version": bot.version}
    if bot.command is None:
        return seen | {"token": bot.token_sha256, "port": bot.port}
    return seen | {"command": bot.command, "files": bot.program or (_files(bot) if files is None else files[bot.pk])}


def files_of(players: Collection[int]) -> dict[int, str]:
    """The hashes of the files of those bots among these that may have passed, to be read before a transaction: in it
    everybody would wait for that.
    """
    found = Bot.objects.filter(pk__in=players, passed__isnull=False, command__isnull=False, program="")
    return defaultdict(str, {bot.pk: _files(bot) for bot in found.select_related("player")})


def command_of(bot: Bot) -> str:
    """What checks it on the server, and stores that it has passed."""
    comes = "" if bot.command is not None else f" --port {bot.port or 'PORT'} -- COMMAND"
    return f"{paths.PROGRAM} check_bot --record {bot.player.slug}{comes}"


def has_passed(bot: Bot, files: Mapping[int, str] | None = None) -> bool:
    """Whether it has passed as it is now: its row, and its files as `seen_of` reads them. With files that cannot be
    told from others it never has.
    """
    if bot.passed is None:
        return False
    seen = seen_of(bot, files)
    return seen.get("files") != "" and bot.passed["seen"] == seen


def store(bot: Bot, seen: dict[str, Any], steps: int, actor: str) -> bool:
    """Store that it has passed all steps. Returns False if it is no longer what was `seen` before the check."""
    files = {bot.pk: "" if bot.command is None or bot.program else _files(bot)}
    with transaction.atomic():
        now = Bot.objects.select_for_update(of=("self",)).select_related("player").get(pk=bot.pk)
        now.passed = {"seen": seen, "at": timezone.now().isoformat(), "rules": rules_version(), "steps": steps}
        if not has_passed(now, files):
            return False
        now.save(update_fields=["passed"])
        Audit.objects.note(actor, "bot passed its check", now.player.name, steps=steps, rules=rules_version())
    return True


def _files(bot: Bot) -> str:
    """The hash of its files, "" if they cannot be told from others: `pack` says why."""
    try:
        return sha256_of_folder(folder_of(bot))
    except NotPacked:
        return ""
