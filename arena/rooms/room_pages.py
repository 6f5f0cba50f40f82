"""Which pages of a room are open: a player who waits with a page open is there, and a closed page cannot be called."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

# A page that is gone may just be reloading. The room of a player who does not come back is unlisted within 15 s.
HERE_S = 10.0
# A player who has just sat down will soon have a page, even on a slow line.
ON_THE_WAY_S = 60.0

Page = tuple[str, int | None]


class RoomPages:
    """By the code in capitals and the number of the player who looks. `on_gone(code)` is called when one of them is no
    longer there, whether they had a websocket or only asked.
    """

    def __init__(self) -> None:
        self.on_gone: Callable[[str], None] = _untold
        self._open: Counter[Page] = Counter()
        self._expected: dict[Page, asyncio.TimerHandle] = {}

    def opened(self, code: str, player: int | None) -> None:
        self._open[code, player] += 1

    def closed(self, code: str, player: int | None) -> None:
        self._open[code, player] -= 1
        if self._open[code, player] <= 0:
            del self._open[code, player]
        self.expect(code, player, HERE_S)

    def asked(self, code: str, player: int | None) -> None:
        """A page of theirs has come or asked: they are there for a moment, or as long as they are expected anyway."""
        expected, loop = self._expected.get((code, player)), asyncio.get_running_loop()
        if expected is None or expected.when() < loop.time() + HERE_S:
            self.expect(code, player, HERE_S)

    def expect(self, code: str, player: int | None, seconds: float) -> None:
        """Count them as present for this long, whatever pages they have."""
        page = code, player
        if (before := self._expected.get(page)) is not None:
            before.cancel()
        self._expected[page] = asyncio.get_running_loop().call_later(seconds, self._over, page)

    def is_here(self, code: str, player: int | None) -> bool:
        page = code, player
        expected = self._expected.get(page)
        return page in self._open or (expected is not None and asyncio.get_running_loop().time() < expected.when())

    def _over(self, page: Page) -> None:
        del self._expected[page]
        if page not in self._open:
            self.on_gone(page[0])


def _untold(code: str) -> None:
    """Nobody follows the rooms."""
