"""Personal ports: a registered bot may have a port of its own, and whoever connects there is that bot."""

from __future__ import annotations

import logging

from arena.apart import apart
from arena.bots import tokens
from arena.bots.connection import Connection
from arena.bots.doors import Door, Networks
from arena.bots.places import Places
from arena.bots.tokens import Identity
from arena.bots.waiting import Deaf
from arena.match.commands import Refusal
from arena.models import Bot
from arena.protocols import protocol
from arena.transports import Transport

log = logging.getLogger("arena.bots")

CONNECTED = "This bot is connected on this port already. It has one connection: close the other one first."


class PersonalDoor(Door):
    """The door of one bot."""

    def __init__(self, places: Places, bot: Identity, trusted: Networks) -> None:
        super().__init__(places, protocol(bot.protocol), trusted)
        self.bot = bot

    def _connected(self, transport: Transport) -> Connection | Deaf:
        if self._sessions:
            return Deaf(transport, "seat_taken", CONNECTED)
        return self.receive(transport, self.bot).connection


class PersonalPorts:
    """The personal doors of all bots that are enabled and have one."""

    def __init__(self, places: Places, trusted: Networks) -> None:
        self.doors: dict[int, PersonalDoor] = {}
        self._places = places
        self._trusted = trusted
        self._host = ""

    async def open(self, host: str) -> None:
        """Listen, and go on doing what the rows say. A port that is taken is logged, and its bot comes to the door."""
        self._host = host
        tokens.listeners.add(self.changed)
        bots = Bot.objects.select_related("player").filter(port__isnull=False, enabled=True)
        for bot in [bot async for bot in bots]:
            try:
                await self.changed(bot)
            except Refusal as refusal:
                log.warning("%s: %s", bot, refusal)

    async def close(self) -> None:
        """Listen no more, and part from all of them."""
        tokens.listeners.discard(self.changed)
        for door in self.doors.values():
            await door.close()
        self.doors.clear()

    async def changed(self, bot: Bot) -> None:
        """This bot has another port now, or was enabled or disabled. Raises Refusal where the port is taken."""
        await apart(self._changed(bot))

    async def _changed(self, bot: Bot) -> None:
        before = self.doors.get(bot.pk)
        wanted = bot.port if bot.enabled else None
        if before is not None and before.port != wanted:
            del self.doors[bot.pk]
            await before.close()
        if wanted is None or bot.pk in self.doors:
            return
        if not self._host:
            raise Refusal("no_port", "This server was started without ports for bots (--no-doors).")
        door = PersonalDoor(self._places, await _identity(bot), self._trusted)
        try:
            await door.open(self._host, wanted)
        except OSError:
            raise Refusal("port_taken", f"Port {wanted} is in use on this machine. Choose another one.") from None
        self.doors[bot.pk] = door


async def _identity(bot: Bot) -> Identity:
    known = await Bot.objects.select_related("player").aget(pk=bot.pk)
    return tokens.identity_of(known)
