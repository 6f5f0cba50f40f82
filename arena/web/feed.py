"""The lobby as it changes: rendered once for everyone who looks at the home page, at most twice a second.

It is rendered while somebody looks, and sent when it is another one: whatever changed (a move, a room, a match), there
is no list of causes to forget one in.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from django.template.loader import render_to_string

from arena.host import Host
from arena.hub import Live
from arena.web import showcase

log = logging.getLogger("arena.web")

EVERY_S = 0.5
# A match is shown at least so long, also when a better one begins.
SHOWN_S = 20.0


class Reader(Protocol):
    def wake(self) -> None: ...


class Feed:
    """What the home page shows of others. `text` is the newest message, the same for everyone."""

    def __init__(self, host: Host) -> None:
        self.text = ""
        self.renders = 0
        self.host = host
        self._readers: set[Reader] = set()
        self._task: asyncio.Task[None] | None = None
        self._shown: Live | None = None
        self._shown_since = 0.0

    def view(self, reader: Reader) -> None:
        self._readers.add(reader)
        if self._task is None:
            self._render()
            self._task = asyncio.get_running_loop().create_task(self._go_on())

    def unview(self, reader: Reader) -> None:
        """When the last reader has gone nothing is rendered."""
        self._readers.discard(reader)
        if not self._readers and self._task is not None:
            self._task.cancel()
            self._task = None

    def lobby(self) -> dict[str, Any]:
        """The parts of the page: `featured` (None while nothing runs), `lives`, `rooms`."""
        lives = showcase.public(self.host)
        shown = self._choose(lives)
        others = [live for live in lives if live is not shown][: showcase.MOST_LIVES]
        return {
            "featured": showcase.featured(self.host, shown) if shown else None,
            "lives": [showcase.mini(live) for live in others],
            "rooms": showcase.waiting(self.host),
        }

    def _choose(self, lives: list[Live]) -> Live | None:
        now = asyncio.get_running_loop().time()
        fresh = now - self._shown_since < SHOWN_S
        if self._shown is None or not (fresh or self._shown in lives):
            self._shown, self._shown_since = (lives[0] if lives else None), now
        return self._shown

    async def _go_on(self) -> None:
        while self._readers:
            await asyncio.sleep(EVERY_S)
            try:
                self._render()
            except Exception:
                log.exception("the lobby could not be rendered")

    def _render(self) -> None:
        text = render_to_string("arena/fragments/lobby.html", {**self.lobby(), "oob": True})
        self.renders += 1
        if text != self.text:
            self.text = text
            for reader in self._readers:
                reader.wake()


_feeds: list[Feed] = []


def of(host: Host) -> Feed:
    """The feed of this host; that of an earlier one is let go."""
    if not _feeds or _feeds[0].host is not host:
        _feeds[:] = [Feed(host)]
    return _feeds[0]
