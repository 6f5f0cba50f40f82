"""The opponent of a newly connected bot: the built-in Club, five seconds after the bot is ready.

Another opponent may be chosen meanwhile. Nothing of this is stored: after a restart the room's page offers the choice.
"""

from __future__ import annotations

import asyncio
import logging
from contextvars import Context

from arena.bots.seats.choices import Opener, SideChoice
from arena.host import Host
from arena.match.commands import Refusal
from arena.rooms.room import LiveRoom

log = logging.getLogger("arena.web")

COMPANION_S = 5.0
LEVEL = "club"

_waiting: dict[int, Companion] = {}


class Companion:
    """Follows one room until its bot has been ready for a while. Ends with the room, or when the other side is taken.

    It runs in its own context rather than that of a request or connection, whose database thread may have ended.
    """

    def __init__(self, host: Host, room: LiveRoom, side: int, opener: Opener) -> None:
        self._host, self._room, self._side, self._opener = host, room, side, opener
        self._loop = asyncio.get_running_loop()
        self._soon: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._context = Context()
        forget(room)
        _waiting[id(room)] = self
        room.followers.add(self._changed)
        self._changed()

    def forget(self) -> None:
        self._room.followers.remove(self._changed)
        self._not_yet()
        _waiting.pop(id(self._room), None)

    def _changed(self) -> None:
        room, bot = self._room, self._room.sides[self._side]
        if room.over or room.playing or room.sides[1 - self._side] is not None:
            self.forget()
        elif bot is None or not bot.ready:
            self._not_yet()
        elif self._soon is None:
            self._soon = self._loop.call_later(COMPANION_S, self._bot_was_ready, context=self._context)

    def _not_yet(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    def _bot_was_ready(self) -> None:
        self.forget()
        if not self._host.stopped and self._host.lobby.rooms.get(self._room.plan.code.upper()) is self._room:
            self._task = self._loop.create_task(self._sit())

    async def _sit(self) -> None:
        try:
            choice = SideChoice("builtin", level=LEVEL)
            await self._host.room_maker.change(self._room, 1 - self._side, choice, self._opener)
        except Refusal as refusal:
            log.info("room %s: nobody sits opposite the bot: %s", self._room.plan.code, refusal.sentence)


def wait(host: Host, room: LiveRoom, side: int, opener: Opener) -> None:
    """Let the built-in player sit opposite the bot on `side` once it has been ready for a while."""
    Companion(host, room, side, opener)


def forget(room: LiveRoom) -> None:
    """Stop: somebody else will play."""
    companion = _waiting.get(id(room))
    if companion is not None:
        companion.forget()
