"""Which pages of a room are open: a player who waits with a page open is there, and a closed page cannot be called."""

from __future__ import annotations

import asyncio
from collections import Counter

# A page that is gone may just be reloading. The room of a player who does not come back is unlisted within 15 s.
HERE_S = 10.0
# A player who has just sat down will soon have a page, even on a slow line.
ON_THE_WAY_S = 60.0

Page = tuple[str, int | None]


class RoomPages:
    """By the code in capitals and the number of the player who looks."""

    def __init__(self) -> None:
        self._open: Counter[Page] = Counter()
        self._here_until: dict[Page, float] = {}

    def opened(self, code: str, player: int | None) -> None:
        self._open[code, player] += 1

    def closed(self, code: str, player: int | None) -> None:
        self._open[code, player] -= 1
        if self._open[code, player] <= 0:
            del self._open[code, player]
        self.expect(code, player, HERE_S)

    def expect(self, code: str, player: int | None, seconds: float) -> None:
        """Count them as present for this long, whatever pages they have."""
        now = asyncio.get_running_loop().time()
        self._here_until = {page: until for page, until in self._here_until.items() if until > now}
        self._here_until[code, player] = now + seconds

    def is_here(self, code: str, player: int | None) -> bool:
        until = self._here_until.get((code, player), 0.0)
        return (code, player) in self._open or asyncio.get_running_loop().time() < until
