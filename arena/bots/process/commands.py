"""Bots that this server runs: their commands, files and sandbox. A command runs a program on this machine, so only
superusers set one; only `check_command` checks that.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import WeakSet

from django.conf import settings

from arena.bots.process import starting
from arena.bots.process.child import ChildBot, not_here
from arena.bots.process.programs import folder_of
from arena.bots.process.sandbox import NotSandboxed, Sandbox, SandboxLevel, best_level, demand
from arena.bots.session import tokens
from arena.common import descriptors
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Bot
from arena.protocols import protocol

log = logging.getLogger("arena.bots")

# Across all rooms: each process may take half a gigabyte and a processor.
MOST_AT_ONCE = 16
UNKNOWN = "It could not be found out which sandbox this machine gives. Nothing was started; try again in a minute."


class Commands:
    """Makes the occupants. The level of the sandbox is determined once, in a thread, which takes some seconds."""

    def __init__(self, referee: Referee, minimum: int) -> None:
        self._referee = referee
        self._minimum = minimum
        self._bots: WeakSet[ChildBot] = WeakSet()
        self._probing: asyncio.Future[SandboxLevel] | None = None

    def probe(self) -> None:
        """Start to determine what this machine supports. The thread does not delay a stop of the server."""
        if self._probing is None:
            loop = asyncio.get_running_loop()
            found: asyncio.Future[SandboxLevel] = loop.create_future()
            self._probing = found

            def look() -> None:
                tell = partial(self._fail, found)
                try:
                    tell = partial(found.set_result, best_level())
                except Exception:
                    log.exception("which sandbox this machine gives could not be found out")
                with suppress(RuntimeError):  # the loop has ended meanwhile
                    loop.call_soon_threadsafe(tell)

            threading.Thread(target=look, name="arena-sandbox", daemon=True).start()

    def _fail(self, found: asyncio.Future[SandboxLevel]) -> None:
        """Nothing was found out: who waits hears it, and the next one looks again."""
        self._probing = None
        found.set_exception(Refusal("sandbox", UNKNOWN))
        found.exception()  # maybe nobody waits

    async def probe_if_needed(self) -> None:
        """`probe`, but only if a bot needs it, because it attacks the machine for some seconds."""
        if await Bot.objects.filter(command__isnull=False).aexists():
            self.probe()

    async def level(self) -> SandboxLevel:
        """The level of the sandbox. Raises Refusal if it is below this server's minimum, or not known."""
        self.probe()
        assert self._probing is not None, "it has just been begun"
        found = await asyncio.shield(self._probing)
        try:
            return demand(self._minimum, found)
        except NotSandboxed as why:
            raise Refusal("sandbox", str(why)) from None

    async def make(self, player: int) -> ChildBot:
        """The bot of this player, to be started when its round begins. Raises Refusal."""
        bot = await Bot.objects.select_related("player").filter(pk=player).afirst()
        if bot is None or bot.command is None:
            raise Refusal("unknown_bot", "This server runs no such bot. It may have been removed.")
        who = tokens.identity_of(bot)
        if not descriptors.admit():
            raise Refusal("no_room", descriptors.WORDS)
        if sum(each.is_running for each in self._bots) >= MOST_AT_ONCE:
            raise Refusal(
                "too_many", said("This server already runs {n} bots, the maximum at one time.", n=MOST_AT_ONCE)
            )
        sandbox = Sandbox(await self.level())
        if await asyncio.to_thread(starting.look, bot):
            raise not_here(who.name)
        folder = folder_of(bot)
        made = ChildBot(self._referee, protocol(bot.protocol), bot.command, who.name, folder, sandbox, who)
        self._bots.add(made)
        return made

    async def close(self) -> None:
        """End all bots, and wait until nothing of them is left; matches stay as the log has them."""
        bots = list(self._bots)
        for bot in bots:
            bot.part()
        for bot in bots:
            await bot.close()


def check_command(user: Any, words: list[str] | None, before: list[str] | None) -> None:
    """Check that this user may change a bot's command from `before` to `words`. Raises Refusal. Takes seconds: call it
    in a thread.
    """
    if words == before:
        return
    if not getattr(user, "is_superuser", False):
        raise Refusal("not_yours", "Only administrators may say which program this server runs for a bot.")
    if words is not None:
        try:
            demand(settings.ARENA_SANDBOX_MIN)
        except NotSandboxed as why:
            raise Refusal("sandbox", str(why)) from None
