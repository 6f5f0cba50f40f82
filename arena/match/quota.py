"""A daily limit of rated matches between the same two bots, so that none climbs by playing one opponent all night."""

from __future__ import annotations

from datetime import UTC, datetime

from arena.match.state import Setup

MOST_A_DAY = 100
DAY_S = 24 * 3600

# The primary keys of two players.
Pair = frozenset[int]


class Quota:
    """Counts the rated matches of each pair of bots on this UTC day, stored ones included; times are seconds since
    1970. Before a match, pass `known` the count of a pair that is `unknown`.
    """

    def __init__(self) -> None:
        self._day = 0
        self._begun: dict[Pair, int] = {}

    def unknown(self, setup: Setup, now: float) -> Pair | None:
        """The pair whose matches of today must first be counted from the log; None if there is none."""
        self._turn_over(now)
        pair = _pair(setup)
        return None if pair is None or pair in self._begun else pair

    def known(self, pair: Pair, begun: int) -> None:
        """Set the pair's count to `begun`. Of two concurrent calls the first applies, and counting has gone on."""
        self._begun.setdefault(pair, begun)

    def take(self, setup: Setup, now: float) -> bool:
        """Whether another rated match may begin now; if so, count it."""
        self._turn_over(now)
        pair = _pair(setup)
        if pair is None:
            return True
        begun = self._begun.get(pair, 0)
        if begun >= MOST_A_DAY:
            return False
        self._begun[pair] = begun + 1
        return True

    def _turn_over(self, now: float) -> None:
        if self._day != (day := int(now // DAY_S)):
            self._day = day
            self._begun.clear()


def midnight(now: float) -> datetime:
    """The start of the UTC day of `now`."""
    return datetime.fromtimestamp(now // DAY_S * DAY_S, UTC)


def _pair(setup: Setup) -> Pair | None:
    """The two bots, if both have played before; None if a person plays."""
    if any(seat.kind != "bot" for seat in setup.seats):
        return None
    return frozenset(seat.player for seat in setup.seats if seat.player is not None)
