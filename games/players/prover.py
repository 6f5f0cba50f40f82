"""The contract of a prover: what is certain about the moves of a position.

A prover may use what the players may not: a compiled kernel, a book on disk. So it comes from outside and is handed to
`players.choose`, which plays without one as well, only weaker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from games.game import Position
from games.players.search import WIN, OutOfTime, Search


class Bounds(NamedTuple):
    """What is proved of a move, for the player who makes it: `low` <= value <= `high`, in the values of `search.py`.

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
        """1 for a win, 0 for a draw, -1 for a loss; None where that is not known."""
        signs = {(bound > 0) - (bound < 0) for bound in self}
        return signs.pop() if len(signs) == 1 else None


NOTHING = Bounds(-WIN, WIN)


class Prover(Protocol):
    """Proves values. It keeps what it found out, so asking once more goes on where it stopped."""

    def values(self, position: Position, out_of_time: OutOfTime) -> Mapping[str, Bounds] | None:
        """What can be proved of every legal move until `out_of_time`; None for a game it knows nothing of.

        `out_of_time` is asked once for about 16 000 positions.
        """

    def search(self, position: Position, out_of_time: OutOfTime) -> Search[Any] | None:
        """A search that does what the player's own does, only faster; None where `values` answers, or nothing does."""

    def forget(self) -> None:
        """Forget what was found out: the next answers are those of a new prover."""
