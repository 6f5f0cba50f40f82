"""Personal ports: any connection to a registered bot's own port is that bot's. Changes by this process take effect at
once, those by another when the rows are read again.
"""

from __future__ import annotations

import asyncio
import logging
import math
from functools import partial

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from arena.bots.seats.doors import Door
from arena.bots.seats.gate import Deaf
from arena.bots.seats.seat_ports import SeatPorts
from arena.bots.seats.unseated import Networks
from arena.bots.session import tokens
from arena.bots.session.connection import Connection
from arena.bots.session.tokens import Identity
from arena.common import descriptors
from arena.common.detached import begin, detached
from arena.common.logs import LastingTrouble
from arena.core.ledger import LedgerClosed
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Bot
from arena.protocols import protocol
from arena.protocols.seat_line import turned_away
from arena.transports import Transport
from arena.work.looks import RowLooks

log = logging.getLogger("arena.bots")

LOOK_S = 2.0
CHANGED = "The port of this bot was changed or taken away: come back by its new port, or with its token."
CONNECTED = "This bot is connected on this port already. It has one connection: close the other one first."


class PersonalDoor(Door):
    def __init__(self, ports: SeatPorts, bot: Identity, trusted: Networks) -> None:
        super().__init__(ports, protocol(bot.protocol), trusted)
        self.bot = bot

    def _connected(self, transport: Transport) -> Connection | Deaf:
        if self._sessions:
            return Deaf(transport, turned_away("seat_taken", CONNECTED))
        return self.receive(transport, self.bot).connection

    async def give_up(self) -> None:
        """Close a port that is this bot's no more. The server goes on, so its match waits for it."""
        for session in list(self._sessions):
            session.send_away("port_changed", CHANGED)
        await self.close()


class PersonalPorts:
    """The personal doors of all enabled bots that have one."""

    def __init__(self, ports: SeatPorts, trusted: Networks) -> None:
        self.doors: dict[int, PersonalDoor] = {}
        self._ports = ports
        self._trusted = trusted
        self._host = ""
        self._one_at_a_time = asyncio.Lock()
        self._refused: dict[int, str] = {}  # so that a message about a taken port is not repeated
        self._looking: asyncio.Task[None] | None = None
        self._closed = False
        self._looks = RowLooks(LOOK_S)

    async def open(self, host: str) -> None:
        """Listen, and keep following the rows. A port that is taken is logged; its bot must use the public door."""
        self._host = host
        tokens.listeners.add(self.changed)
        await self.look()
        self._looking = begin(self._look_again_and_again())

    async def close(self) -> None:
        """Stop listening and close all connections. A port that is being opened is closed by whoever opens it."""
        self._closed = True
        tokens.listeners.discard(self.changed)
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        await self._looks.close()
        await asyncio.gather(*(door.close() for door in self.doors.values()))
        self.doors.clear()

    async def look(self) -> None:
        """Follow the rows. A port that is taken is tried again the next time."""
        async with self._one_at_a_time:  # rows read before a change would undo it
            bots = {bot.pk: bot for bot in await _with_a_port()}
            kept = {(pk, bot.port) for pk, bot in bots.items()}
            for gone in [pk for pk, door in self.doors.items() if (pk, door.port) not in kept]:
                await self.doors.pop(gone).give_up()
            for bot in bots.values():
                await self._look_at(bot)

    async def _look_at(self, bot: Bot) -> None:
        refusal = ""
        try:
            await self._changed(bot)
        except Refusal as why:
            refusal = str(why)
            if refusal != self._refused.get(bot.pk):
                log.warning("%s: %s", bot, refusal)
        self._refused[bot.pk] = refusal

    async def _look_again_and_again(self) -> None:
        longest_s = LOOK_S
        failing = LastingTrouble(log, "the ports of bots cannot be looked at, trying again", DatabaseError)
        while True:
            await self._looks.next(longest_s)
            longest_s = LOOK_S
            try:
                await self.look()
                longest_s = LOOK_S if any(self._refused.values()) else math.inf
                failing.is_over()
            except Exception as why:
                failing.begins(why)

    async def changed(self, bot: Bot) -> None:
        """This bot's port has changed, or it was enabled or disabled. Raises Refusal if the port is taken."""
        await detached(self._change(bot))

    async def _change(self, bot: Bot) -> None:
        async with self._one_at_a_time:  # in here, because the page that asked may be gone before the port is open
            await self._changed(bot)

    async def _changed(self, bot: Bot) -> None:
        before, wanted = self.doors.get(bot.pk), bot.port if bot.enabled else None
        if before is not None and before.port == wanted:
            return
        # First the new port: if it is taken, the bot keeps the one that it has.
        opened = None if wanted is None else await self._opened(bot, wanted)
        if before is not None:
            del self.doors[bot.pk]
        if opened is not None:
            self.doors[bot.pk] = opened
        if before is not None:
            await before.give_up()

    async def _opened(self, bot: Bot, wanted: int) -> PersonalDoor:
        """Listen on this port. Raises Refusal if it is taken."""
        if not self._host:
            raise Refusal("no_port", "This server was started without ports for bots (--no-doors).")
        door = PersonalDoor(self._ports, await _identity(bot), self._trusted)
        try:
            await door.open(self._host, wanted)
        except OSError as why:
            if descriptors.exhausted(why):
                raise Refusal("no_room", descriptors.WORDS) from None
            raise Refusal(
                "port_taken", said("Port {port} is in use on this machine. Choose another one.", port=wanted)
            ) from None
        if self._closed:  # meanwhile: the next host listens there
            await door.close()
            raise Refusal("changing_over", LedgerClosed.sentence)
        return door


@partial(database_sync_to_async, thread_sensitive=False)
def _with_a_port() -> list[Bot]:
    return list(Bot.objects.select_related("player").filter(port__isnull=False, enabled=True))


async def _identity(bot: Bot) -> Identity:
    known = await Bot.objects.select_related("player").aget(pk=bot.pk)
    return tokens.identity_of(known)
