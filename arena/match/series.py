"""A series: two sides play rounds, and swap seats after each one. Sides are fixed when people sit down."""

from __future__ import annotations

from arena.match.endings import FAULTS, Termination, counts
from games.named import NamedTuple

# A round that ends by a fault of ours is played again so often.
MOST_VOIDS = 3


def seat_of(side: int, round: int) -> int:
    """The seat of `side` in `round` (from 1): side 0 moves first in the odd rounds."""
    return (side + round - 1) % 2


def side_of(seat: int, round: int) -> int:
    """The side that sits on `seat` in `round`: swapping is its own inverse."""
    return seat_of(seat, round)


class Loser(NamedTuple):
    """Who lost a round, as far as the next one needs them: the kind of their seat, whether they are there to play it,
    and whether a fault ends the series by their protocol.
    """

    kind: str
    is_there: bool = True
    fault_ends_series: bool = False


def goes_on(round: int, rounds: int, winner: int | None, termination: str, loser: Loser | None) -> bool:
    """Whether another round follows the one that ended so; `loser` is None where there is none, or nobody any more.

    A person ends the series by leaving. A bot ends it by a fault that its protocol does not forgive, or by being gone;
    one that is back after a lost connection plays the next round. What ended by our fault is played again.
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
    """The rounds that counted, in order, one letter each as side 0 sees it: `w` won, `d` drawn, `l` lost."""

    rounds: str = ""

    def after(self, round: int, winner: int | None, termination: str) -> Score:
        """The score after a round that ended so; `winner` is a seat of that round."""
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
        """Points of both sides: one for a win, a half for a draw."""
        return self.won + self.drawn / 2, self.lost + self.drawn / 2

    def seen_by(self, side: int) -> str:
        """The rounds as this side sees them."""
        return self.rounds.translate(_TURNED) if side else self.rounds


NO_SCORE = Score()


class SeriesProgress:
    """How far a series has come: the round that runs or is next, and the score before it. Of `voids` rounds in a row
    the server has ended each by a fault of its own.
    """

    __slots__ = ("round", "score", "voids")

    def __init__(self, round: int = 1, score: Score = NO_SCORE, voids: int = 0) -> None:
        self.round, self.score, self.voids = round, score, voids

    def is_over(self, rounds: int, round: int, winner: int | None, termination: str, loser: Loser | None) -> bool:
        """Whether the series of `rounds` ends with the round that ended so. One that we broke is played again, but not
        forever.
        """
        if termination == Termination.SERVER_ABORT:
            return self.voids + 1 >= MOST_VOIDS
        return not goes_on(round, rounds, winner, termination, loser)

    def count(self, winner: int | None, termination: str) -> None:
        """The round has ended so."""
        self.score = self.score.after(self.round, winner, termination)

    def go_on(self, termination: str) -> None:
        """Another round follows one that ended so: the next, or the same again where it counts for nobody."""
        self.voids = 0 if counts(termination) else self.voids + 1
        self.round += 1 if counts(termination) else 0


_TURNED = str.maketrans("wl", "lw")
