"""The contract of a prover, which proves the values of a position's moves, with means that players have not, such as a
compiled kernel or a book: `players.choose` also plays without one, only weaker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from games.game import Position
from games.players.search import WIN, OutOfTime, Search


class Bounds(NamedTuple):
    """The proved bounds of a move for the player who makes it: `low` <= value <= `high`, in the values of `search.py`.

    `WIN - n` is a win that ends the match at ply n, `n - WIN` a loss, 0 a draw.
    """

    low: int
    high: int

    @property
    def exact(self) -> bool:
        """Whether the result and the last ply are both known."""
        return self.low == self.high

    @property
    def result(self) -> int | None:
        """1 for a win, 0 for a draw, -1 for a loss; None if that is not known."""
        signs = {(bound > 0) - (bound < 0) for bound in self}
        return signs.pop() if len(signs) == 1 else None


NOTHING = Bounds(-WIN, WIN)


class Prover(Protocol):
    """Proves values. It keeps its results, so that another call continues where the last one stopped."""

    def values(self, position: Position, out_of_time: OutOfTime) -> Mapping[str, Bounds] | None:
        """What can be proved about every legal move before `out_of_time` says True; None for a game it does not know.

        `out_of_time` is called once every 16 000 positions or so.
        """

    def search(self, position: Position, out_of_time: OutOfTime) -> Search[Any] | None:
        """A faster search equivalent to the player's own; None if `values` answers, or neither is available."""

    def forget(self) -> None:
        """Discard all results, so that the next answers are those of a new prover."""
