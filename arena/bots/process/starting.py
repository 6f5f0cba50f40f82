"""Whether a bot of this server starts: found out before its match, from its files and by starting it once, and kept
until its command or files change. One that does not would lose match after match.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from arena.bots.process import programs
from arena.bots.process.sandbox import NotSandboxed, Sandbox, Unreachable, demand
from arena.bots.process.trying import tried
from arena.models import Bot
from arena.transports.programs import not_started

# What a program lacks may lie outside of its folder, so one that did not start is tried again after this time.
AGAIN_S = 30.0
MOST_FILES = 1000

log = logging.getLogger("arena.bots")


class _Tried(NamedTuple):
    command: list[str]
    folder: Path
    files: tuple[int, ...]
    why: str
    at: float


_tried: dict[int, _Tried] = {}
# The bots that could not be started when somebody last looked.
_lacking: set[int] = set()
# One after the other: at once they would slow each other down.
_trying = threading.Lock()


def lacking() -> frozenset[int]:
    """The bots that this server could not start when that was last found out."""
    return frozenset(_lacking)


async def all_lacking() -> frozenset[int]:
    """`lacking` with what the files of every bot say now: no program is started for it."""
    run = Bot.objects.filter(command__isnull=False, enabled=True).select_related("player")
    bots = [bot async for bot in run]
    return await asyncio.to_thread(lambda: frozenset(bot.pk for bot in bots if _noted(bot))) if bots else frozenset()


def lacks(bot: Bot) -> str:
    """Why this server cannot start it, as far as known; "" if it can, or if the bot connects by itself."""
    return programs.lacks(bot) or (known.why if (known := _known(bot)) else "")


def is_tried(bot: Bot) -> bool:
    """Whether `lacks` is all there is to know: it was started with this command, or is not to be started here."""
    return bool(bot.command is None or programs.plays_at_workers(bot) or programs.lacks(bot) or _known(bot))


def look(bot: Bot) -> str:
    """`lacks`, once it has been started with these files. Takes up to some seconds: call it in a thread."""
    if bot.command is not None and not programs.plays_at_workers(bot) and not programs.lacks(bot):
        with _trying:
            _look(bot, bot.command, programs.folder_of(bot))
    return _noted(bot)


def look_for(longest_s: float, bots: Collection[Bot]) -> bool:
    """`look` at these until that time is over, beginning with those of which least is known. Whether it was at all.
    Whoever asks, and a server that stops, waits for no more than that and the last.
    """
    until, rest = time.monotonic() + longest_s, sorted(bots, key=_tried_at)
    for number, bot in enumerate(rest, 1):
        look(bot)
        if number < len(rest) and time.monotonic() > until:
            return False
    return True


def _tried_at(bot: Bot) -> float:
    return known.at if (known := _known(bot)) else -math.inf


def _noted(bot: Bot) -> str:
    why = lacks(bot)
    (_lacking.add if why else _lacking.discard)(bot.pk)
    return why


async def told_owner(player: int) -> str:
    """`look` for people who may not know where things are on this machine."""
    bot = await Bot.objects.select_related("player").aget(pk=player)
    why = await asyncio.to_thread(look, bot)
    for place in (settings.ARENA_BOTS, programs.programs()):
        why = why.replace(f"{place}/", "")
    return why.partition(": /")[0]


def _known(bot: Bot) -> _Tried | None:
    tried = _tried.get(bot.pk)
    is_same = tried is not None and (tried.command, tried.folder) == (bot.command, programs.folder_of(bot))
    return tried if is_same else None


def _look(bot: Bot, command: list[str], folder: Path) -> None:
    before, files, now = _tried.get(bot.pk), _files(folder), time.monotonic()
    if before is not None and before[:3] == (command, folder, files) and (not before.why or now < before.at + AGAIN_S):
        return
    why = _try(command, folder)
    _tried[bot.pk] = _Tried(command, folder, files, why, now)
    if why:
        log.warning("%s cannot be started: %s", bot.player.name, why)


def _files(folder: Path) -> tuple[int, ...]:
    """Other numbers once its files are others."""
    found = [path.lstat() for path in islice(folder.rglob("*"), MOST_FILES)]
    return len(found), sum(each.st_size for each in found), max((each.st_ctime_ns for each in found), default=0)


def _try(command: list[str], folder: Path) -> str:
    """Start it in the sandbox. Returns why it did not start; "" if it did, or if that cannot be found out now."""
    try:
        launch = Sandbox(demand(settings.ARENA_SANDBOX_MIN)).wrap(command, folder)
    except Unreachable as why:
        return not_started(why)
    except (OSError, NotSandboxed) as why:
        log.info("whether %s starts cannot be found out: %s", command[0], why)
        return ""
    return tried(launch, folder)
