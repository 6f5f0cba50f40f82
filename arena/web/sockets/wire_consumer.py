"""The wire of a bot as it grows: a websocket for those who may read it, beside that of the match.

Four times a second it asks the store for more: the connection of a bot does not know its readers.
"""

from __future__ import annotations

import asyncio
from typing import Any

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.web.joined import with_persons
from arena.web.match import wire_panel
from arena.web.match.permissions import may_see, why_private
from arena.web.match.wire_rows import Reading
from arena.web.sockets.consumers import GONE, Close, Consumer, Scope, visitor_in_thread
from arena.web.sockets.page_messages import have_of

LOOK_S = 0.25
# The last lines before the end may still be on their way to the store.
LOOKS_AFTER_THE_END = 8
DONE = 1000


class WireConsumer(Consumer):
    """One reader of one wire. `have` rows are on the page already."""

    def __init__(self, match: str, seat: int) -> None:
        super().__init__()
        self._match, self._seat = match, seat
        self._host: Host
        self._live: LiveMatch | None = None
        self._reading = Reading()
        self._have = self._chunk = 0
        self._size = -1
        self._looks = LOOKS_AFTER_THE_END
        self._timer: asyncio.TimerHandle | None = None

    async def open(self, host: Host, scope: Scope) -> None:
        self._host = host
        visitor = await visitor_in_thread(scope["headers"])
        self.speak(scope, visitor.prefs)
        self.visitor = visitor
        live = await with_persons(await host.referee.load(self._match))
        if live is None or not await may_see(live, visitor) or await why_private(live, self._seat, visitor):
            raise Close(GONE, "there is no such wire for you")
        self._live, self._have = live, have_of(scope["query_string"])

    def closed(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def write(self) -> None:
        live = self._live
        assert live is not None, "the match was found at the opening"
        recorded = live.wires[self._seat]
        size = recorded.size if recorded is not None else 0
        if size != self._size:
            self._size = size
            await self._read_on(live)
        elif live.over:
            self._looks -= 1
            if not self._looks:
                raise Close(DONE, "the match is over")
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self.wake)

    async def _read_on(self, live: LiveMatch) -> None:
        if await why_private(live, self._seat, self.visitor):
            raise Close(GONE, "its owner shares it no longer")
        jsonl, self._chunk = await self._host.wires.read_on(live, self._seat, self._chunk)
        rows = await asyncio.to_thread(lambda: list(self._reading.rows(jsonl.splitlines())))
        new = [row for row in rows if row.n > self._have][-wire_panel.MOST_ROWS :]
        if new:
            self._have = new[-1].n
            await self.say(wire_panel.frame(self._seat, new, live))

    async def hear(self, form: dict[str, Any]) -> None:
        raise Refusal("invalid_message", "A wire is read, not written to. Nothing was done.")
