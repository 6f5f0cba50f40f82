"""The contract of a built-in player: what one game must know so that every level can play it.

A module of this package that defines one object of a `BuiltinPlayer` subclass plays the positions of `for_position`. A
game without such a module is played through the rules alone (`generic.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from games.game import Position
from games.players.search import OutOfTime, Search

P = TypeVar("P", bound=Position)


class BuiltinPlayer(ABC, Generic[P]):
    """Answers about positions of one game; it keeps nothing between two questions except caches."""

    for_position: type[P]
    # How many times as often as its level says a player slips: more where every level sees all there is to see.
    slips: ClassVar[float] = 1.0

    def wins(self, position: P) -> list[str]:
        """The moves that win at once."""
        return [move for move in position.legal_moves() if won(position.play(move), position.to_move)]

    def safest(self, position: P) -> list[str]:
        """The moves that leave the other the fewest wins in one: none where that is possible."""
        exposed = {move: self.replies_that_win(position, move) for move in position.legal_moves()}
        fewest = min(exposed.values())
        return [move for move, wins in exposed.items() if wins == fewest]

    def replies_that_win(self, position: P, move: str) -> int:
        """How many wins in one `move` leaves to the other."""
        after: P = position.play(move)  # type: ignore[assignment]  # a position's moves lead to positions of its game
        return 0 if after.to_move is None else len(self.wins(after))

    def weight(self, position: P, move: str) -> float:
        """How likely a player who does not look ahead makes this move; more towards the centre, where it matters."""
        return 1

    @abstractmethod
    def rank(self, position: P, moves: Sequence[str], depth: int, out_of_time: OutOfTime) -> list[str]:
        """These `moves`, the best first, then a good second; at most `depth` plies ahead.

        Prefers the quickest win and the longest resistance; of equal moves the one that comes first in `moves`.
        Answers with the best so far once `out_of_time()` says True.
        """


class Outlook(NamedTuple):
    """What one look tells of the moves of a position.

    `decided` are values of moves, in those of `search.py`; `open` are the nodes that the others lead to, which a search
    can look at; a move that is in neither is beyond it.
    """

    decided: Mapping[str, int]
    open: Mapping[str, Any]


class SearchingPlayer(BuiltinPlayer[P]):
    """A player whose search can be done by somebody faster."""

    @abstractmethod
    def search(self, position: P, out_of_time: OutOfTime) -> Search[Any]:
        """The player's own search, for positions like this one."""

    @abstractmethod
    def outlook(self, position: P) -> Outlook:
        """Which moves win at once or lose to the next one, and what a search has to look at."""

    def rank(self, position: P, moves: Sequence[str], depth: int, out_of_time: OutOfTime) -> list[str]:
        """See BuiltinPlayer."""
        return self.rank_by(self.search(position, out_of_time), position, moves, depth)

    @abstractmethod
    def rank_by(self, search: Search[Any], position: P, moves: Sequence[str], depth: int) -> list[str]:
        """`rank`, with this search in place of the player's own."""


def won(position: Position, seat: int | None) -> bool:
    """Whether the match is over and this seat has won it."""
    outcome = position.outcome()
    return outcome is not None and seat is not None and outcome.winner == seat
