"""Standings on the ladder of a variant and how one match changes them: by itself when it ends, after the fraction of a
period since each side's last one (docs/decisions.md says why). Pure, so a replay agrees.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from arena.match.glicko import Strength, aged, rate

# A player whose deviation has reached 60 becomes provisional after 13 months without a match.
PERIOD = timedelta(days=5)
# Ratings with this deviation or more are shown with a question mark.
PROVISIONAL = 110.0
# Players with fewer rated matches are listed below "Not yet settled".
SETTLED = 10
LAST = 10
LETTERS = {1.0: "W", 0.5: "D", 0.0: "L"}


class LadderStanding(NamedTuple):
    """A player on one ladder: points, deviation, volatility, match counts, and the last ten results, newest last.

    `at` is when the last rated match ended, None before the first.
    """

    points: float = Strength().points
    deviation: float = Strength().deviation
    volatility: float = Strength().volatility
    matches: int = 0
    won: int = 0
    drawn: int = 0
    last: str = ""
    at: datetime | None = None

    @property
    def strength(self) -> Strength:
        """Points, deviation and volatility as they were at `at`."""
        return Strength(self.points, self.deviation, self.volatility)


NEW = LadderStanding()


def after_match(
    first: LadderStanding, second: LadderStanding, score: float, at: datetime
) -> tuple[LadderStanding, LadderStanding]:
    """Both standings after a match that ended `at`. `score` is that of the first player: 1, 0.5 or 0."""
    return _after(first, second, score, at), _after(second, first, 1 - score, at)


def deviation_at(standing: LadderStanding, now: datetime) -> float:
    """The deviation at `now`, grown since the last rated match."""
    return aged(standing.strength, _periods(standing.at, now)).deviation


def _after(mine: LadderStanding, its: LadderStanding, score: float, at: datetime) -> LadderStanding:
    opponent = aged(its.strength, _periods(its.at, at))
    strength = rate(mine.strength, [(opponent, score)], _periods(mine.at, at))
    return LadderStanding(
        *strength,
        matches=mine.matches + 1,
        won=mine.won + (score == 1),
        drawn=mine.drawn + (score == 0.5),
        last=(mine.last + LETTERS[score])[-LAST:],
        at=at,
    )


def _periods(since: datetime | None, at: datetime) -> float:
    """Rating periods between two moments; never negative, in case the wall clock was set back."""
    return 0.0 if since is None else max(0.0, (at - since) / PERIOD)
