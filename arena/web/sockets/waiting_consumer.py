"""The websocket of a room's page and of its wizard: it says that something has changed, and the page asks what.

What a room shows depends on who looks (who sits, who opened it), so the page asks with its own session. Looked at in
short steps, because there is no list of causes to forget one in: a bot's connection, its first line, the match.
"""

from __future__ import annotations

import asyncio
from typing import Any

from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Room
from arena.web.room import rooms
from arena.web.sockets.consumers import GONE, Close, Consumer, Scope

LOOK_S = 0.15


class WaitingConsumer(Consumer):
    """A browser on a room's page. Whoever has the code has the link, and learns only that something changes."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self._code = code
        self._host: Host
        self._seen: tuple[object, ...] = ()
        self._changes = 0
        self._looking: asyncio.TimerHandle | None = None

    async def open(self, host: Host, scope: Scope) -> None:
        if not await Room.objects.filter(code=self._code.upper()).aexists():
            raise Close(GONE, "there is no such room")
        self._host = host
        self._seen = rooms.version(host, self._code)
        self._look()

    def closed(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    def _look(self) -> None:
        self._looking = asyncio.get_running_loop().call_later(LOOK_S, self._look)
        now = rooms.version(self._host, self._code)
        if now != self._seen:
            self._seen = now
            self._changes += 1
            self.wake()

    async def write(self) -> None:
        """The first one too: the page may be older than this socket."""
        await self.say(f'<div id="nudge" data-changes="{self._changes}" hidden></div>')

    async def hear(self, form: dict[str, Any]) -> None:
        raise Refusal("invalid_message", "This page only listens. Nothing was done.")
