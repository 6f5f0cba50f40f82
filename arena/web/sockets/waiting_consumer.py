"""The websocket of a room's page and of its wizard: it says that something has changed, and the page asks what.

A room looks different to its players, its owner and others, so the page asks with its own session.
"""

from __future__ import annotations

import asyncio

from arena.host import Host
from arena.models import Room
from arena.rooms.visits import arrive
from arena.web.sockets.consumers import GONE, Close, Consumer, Scope, visitor_in_thread

# A page asks at most this often, however much its room changes.
PAUSE_S = 0.15


class WaitingConsumer(Consumer):
    """A browser on a room's page. Anybody with the code has the link, and learns only that something changes."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self._code = code.upper()
        self._host: Host | None = None
        self._player: int | None = None
        self._changes = 0
        self._telling: asyncio.TimerHandle | None = None

    async def open(self, host: Host, scope: Scope) -> None:
        if not await Room.objects.filter(code=self._code).aexists():
            raise Close(GONE, "there is no such room")
        visitor = await visitor_in_thread(scope["headers"])
        self.speak(scope, visitor.prefs)
        self._host, self._player = host, visitor.player
        host.lobby.pages.opened(self._code, self._player)
        host.lobby.updates.follow(self._code, self._changed)
        await arrive(host.lobby, self._code, self._player, _address(scope))

    def closed(self) -> None:
        if self._host is not None:
            self._host.lobby.updates.unfollow(self._code, self._changed)
            self._host.lobby.pages.closed(self._code, self._player)
        if self._telling is not None:
            self._telling.cancel()

    def _changed(self) -> None:
        """All changes within a pause are announced together, at its end, so the last one is never missed."""
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(PAUSE_S, self._tell)

    def _tell(self) -> None:
        self._telling = None
        self._changes += 1
        self.wake()

    async def write(self) -> None:
        """Write at the first time too, because the page may be older than this socket; but not if the arrival itself
        has changed something, which will be announced in a moment.
        """
        if self._telling is None:
            await self.say(f'<div id="nudge" data-changes="{self._changes}" hidden></div>')


def _address(scope: Scope) -> str:
    host, _ = scope.get("client") or ("", 0)
    return str(host)
