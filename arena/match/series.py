"""A series: two sides play rounds, and swap seats after each one. Sides are fixed when people sit down."""

from __future__ import annotations

from typing import NamedTuple

from arena.match.endings import counts


def seat_of(side: int, round: int) -> int:
    """The seat of `side` in `round` (from 1): side 0 moves first in the odd rounds."""
    return (side + round - 1) % 2


def side_of(seat: int, round: int) -> int:
    """The side that sits on `seat` in `round`: swapping is its own inverse."""
    return seat_of(seat, round)


class Score(NamedTuple):
    """Rounds won by side 0, drawn, won by side 1."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    def after(self, round: int, winner: int | None, termination: str) -> Score:
        """The score after a round that ended so; `winner` is a seat of that round."""
        if not counts(termination):
            return self
        if winner is None:
            return self._replace(drawn=self.drawn + 1)
        if side_of(winner, round) == 0:
            return self._replace(won=self.won + 1)
        return self._replace(lost=self.lost + 1)

    @property
    def points(self) -> tuple[float, float]:
        """Points of both sides: one for a win, a half for a draw."""
        return self.won + self.drawn / 2, self.lost + self.drawn / 2
