"""A series: two sides play rounds and swap seats after each. Sides are fixed when people sit down."""

from __future__ import annotations

from arena.match.endings import FAULTS, Termination, counts
from games.named import NamedTuple

# How often in a row a round that the server aborts is replayed.
MOST_VOIDS = 3


def seat_of(side: int, round: int) -> int:
    """The seat of `side` in `round` (from 1): side 0 moves first in the odd rounds."""
    return (side + round - 1) % 2


def side_of(seat: int, round: int) -> int:
    """The side on `seat` in `round`: swapping is its own inverse."""
    return seat_of(seat, round)


class Loser(NamedTuple):
    """The loser of a round, as far as the next round depends on it: the kind of its seat, whether it is still there,
    and whether its protocol ends the series by a fault.
    """

    kind: str
    is_there: bool = True
    fault_ends_series: bool = False


def goes_on(round: int, rounds: int, winner: int | None, termination: str, loser: Loser | None) -> bool:
    """Whether another round follows the one that ended; `loser` is None if there was none or it has gone. A person ends
    the series by leaving, a bot also by a fault that its protocol does not forgive. An aborted round is replayed.
    """
    if termination == Termination.SERVER_ABORT:
        return True
    if round >= rounds or not counts(termination):
        return False
    if winner is None:
        return True
    return loser is not None and not _ends_series(loser, termination)


def _ends_series(loser: Loser, termination: str) -> bool:
    if loser.kind != "bot":
        return termination == Termination.LEFT
    if termination == Termination.DISCONNECT:
        return not loser.is_there
    broke = termination in FAULTS or termination == Termination.TIMEOUT
    return broke and (loser.fault_ends_series or not loser.is_there)


class Score(NamedTuple):
    """The rounds that counted, in order, one letter each from the view of side 0: `w` won, `d` drawn, `l` lost."""

    rounds: str = ""

    def after(self, round: int, winner: int | None, termination: str) -> Score:
        """The score after this round; `winner` is its seat in that round."""
        if not counts(termination):
            return self
        if winner is None:
            return Score(self.rounds + "d")
        return Score(self.rounds + ("w" if side_of(winner, round) == 0 else "l"))

    @property
    def won(self) -> int:
        return self.rounds.count("w")

    @property
    def drawn(self) -> int:
        return self.rounds.count("d")

    @property
    def lost(self) -> int:
        return self.rounds.count("l")

    @property
    def points(self) -> tuple[float, float]:
        """The points of both sides: one for a win, a half for a draw."""
        return self.won + self.drawn / 2, self.lost + self.drawn / 2

    def seen_by(self, side: int) -> str:
        """The rounds from the view of this side."""
        return self.rounds.translate(_TURNED) if side else self.rounds


NO_SCORE = Score()


class SeriesProgress:
    """The current or next round, the score before it, and how many rounds in a row the server aborted (`voids`)."""

    __slots__ = ("round", "score", "voids")

    def __init__(self, round: int = 1) -> None:
        self.round, self.score, self.voids = round, NO_SCORE, 0

    def is_over(self, rounds: int, round: int, winner: int | None, termination: str, loser: Loser | None) -> bool:
        """Whether the series of `rounds` ends here. An aborted round is replayed, up to MOST_VOIDS times in a row."""
        if termination == Termination.SERVER_ABORT:
            return self.voids + 1 >= MOST_VOIDS
        return not goes_on(round, rounds, winner, termination, loser)

    def count(self, winner: int | None, termination: str) -> None:
        """Add the result of the current round to the score."""
        self.score = self.score.after(self.round, winner, termination)

    def go_on(self, termination: str) -> None:
        """Continue with the next round, or with the same one again if it did not count."""
        self.voids = 0 if counts(termination) else self.voids + 1
        self.round += 1 if counts(termination) else 0


_TURNED = str.maketrans("wl", "lw")
