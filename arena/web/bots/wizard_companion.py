"""Who plays against a bot that was hooked up: the built-in Club, five seconds after the bot is ready.

Unless somebody else is chosen meanwhile. Nothing of this is stored: after a restart the room's page offers the choice.
"""

from __future__ import annotations

import asyncio
import logging
from contextvars import Context

from arena.bots.seats.places import Opener, SideChoice
from arena.host import Host
from arena.match.commands import Refusal
from arena.rooms.room import LiveRoom

log = logging.getLogger("arena.web")

LOOK_S = 0.2
COMPANION_S = 5.0
LEVEL = "club"

_waiting: dict[int, Companion] = {}


class Companion:
    """Looks now and then whether the bot of one room is ready. Ends with the room, or when the other side is taken."""

    def __init__(self, host: Host, room: LiveRoom, side: int, opener: Opener) -> None:
        self._host, self._room, self._side, self._opener = host, room, side, opener
        self._loop = asyncio.get_running_loop()
        self._ready_since: float | None = None
        self._task: asyncio.Task[None] | None = None
        # Not in the context of the request: its database thread ends with it.
        self._context = Context()
        self._timer = self._later()

    def _later(self) -> asyncio.TimerHandle:
        return self._loop.call_later(LOOK_S, self._look, context=self._context)

    def forget(self) -> None:
        self._timer.cancel()
        _waiting.pop(id(self._room), None)

    def _look(self) -> None:
        room = self._room
        gone = self._host.lobby.rooms.get(room.plan.code.upper()) is not room
        if self._host.stopped or gone or room.over or room.playing or room.sides[1 - self._side] is not None:
            self.forget()
            return
        bot, now = room.sides[self._side], self._loop.time()
        if bot is None or not bot.ready:
            self._ready_since = None
        elif self._ready_since is None:
            self._ready_since = now
        elif now - self._ready_since >= COMPANION_S:
            self.forget()
            self._task = self._loop.create_task(self._sit())
            return
        self._timer = self._later()

    async def _sit(self) -> None:
        try:
            choice = SideChoice("builtin", level=LEVEL)
            await self._host.places.change(self._room, 1 - self._side, choice, self._opener)
        except Refusal as refusal:
            log.info("room %s: nobody sits opposite the bot: %s", self._room.plan.code, refusal.sentence)


def wait(host: Host, room: LiveRoom, side: int, opener: Opener) -> None:
    """Let the built-in player sit opposite the bot on `side` once it has been ready for a while."""
    _waiting[id(room)] = Companion(host, room, side, opener)


def forget(room: LiveRoom) -> None:
    """Somebody else will play."""
    companion = _waiting.get(id(room))
    if companion is not None:
        companion.forget()
