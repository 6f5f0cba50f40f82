"""How often two bots may play rated matches, so that none climbs by playing the same one all night."""

from __future__ import annotations

from datetime import UTC, datetime

from arena.match.state import Setup

MOST_A_DAY = 100
DAY_S = 24 * 3600

# The numbers of two players.
Pair = frozenset[int]


class Quota:
    """Counts the rated matches of each pair of bots in a day of UTC, from what was stored before this process began.

    Times are seconds since 1970. Who opens a match asks whether its pair is `unknown`, and if so lets it be `known`.
    """

    def __init__(self) -> None:
        self._day = 0
        self._begun: dict[Pair, int] = {}

    def unknown(self, setup: Setup, now: float) -> Pair | None:
        """The pair whose matches of today have to be counted in the log first; None where nothing has to."""
        self._turn_over(now)
        pair = _pair(setup)
        return None if pair is None or pair in self._begun else pair

    def known(self, pair: Pair, begun: int) -> None:
        """So many has it begun; where two asked at once the first answer stands, which has been counted on since."""
        self._begun.setdefault(pair, begun)

    def take(self, setup: Setup, now: float) -> bool:
        """Whether one more rated match may begin now; if so it is counted."""
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
    """When the day of `now` began."""
    return datetime.fromtimestamp(now // DAY_S * DAY_S, UTC)


def _pair(setup: Setup) -> Pair | None:
    """Of two bots that have played before; None where a person plays."""
    if any(seat.kind != "bot" for seat in setup.seats):
        return None
    return frozenset(seat.player for seat in setup.seats if seat.player is not None)
