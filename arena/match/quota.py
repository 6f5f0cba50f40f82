"""How often two bots may play rated matches, so that none climbs by playing the same one all night."""

from __future__ import annotations

from collections import Counter

from arena.match.state import Setup

MOST_A_DAY = 100
DAY_S = 24 * 3600


class Quota:
    """Counts the rated matches of each pair of bots in a day of UTC. After a restart a new count begins."""

    def __init__(self) -> None:
        self._day = 0
        self._begun: Counter[frozenset[int | None]] = Counter()

    def take(self, setup: Setup, now: float) -> bool:
        """Whether one more rated match may begin now, in seconds since 1970; if so it is counted."""
        if any(seat.kind != "bot" for seat in setup.seats):
            return True
        if self._day != (day := int(now // DAY_S)):
            self._day = day
            self._begun.clear()
        pair = frozenset(seat.player for seat in setup.seats)
        if self._begun[pair] >= MOST_A_DAY:
            return False
        self._begun[pair] += 1
        return True
