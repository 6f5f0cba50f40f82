"""The contract of a built-in player. A module of this package that defines one instance of a `BuiltinPlayer` subclass
plays positions of `for_position`; `generic.py` plays games without one by the rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from games.game import Position
from games.players.search import OutOfTime, Search

P = TypeVar("P", bound=Position)


class BuiltinPlayer(ABC, Generic[P]):
    """Answers questions about positions of one game; it keeps no state between calls except caches."""

    for_position: type[P]
    # A factor for the slip rate of a level: above 1 for games in which every level sees all there is to see.
    slips: ClassVar[float] = 1.0

    def wins(self, position: P) -> list[str]:
        """The moves that win at once."""
        return [move for move in position.legal_moves() if won(position.play(move), position.to_move)]

    def safest(self, position: P) -> list[str]:
        """The moves that leave the opponent the fewest wins in one, if possible none."""
        exposed = {move: self.replies_that_win(position, move) for move in position.legal_moves()}
        fewest = min(exposed.values())
        return [move for move, wins in exposed.items() if wins == fewest]

    def replies_that_win(self, position: P, move: str) -> int:
        """The number of wins in one that `move` leaves to the opponent."""
        after: P = position.play(move)  # type: ignore[assignment]  # moves stay within one game
        return 0 if after.to_move is None else len(self.wins(after))

    def weight(self, position: P, move: str) -> float:
        """How likely a player who does not look ahead makes this move; higher near the centre where it matters."""
        return 1

    @abstractmethod
    def rank(self, position: P, moves: Sequence[str], depth: int, out_of_time: OutOfTime) -> list[str]:
        """`moves` with the best first, then a good second, at most `depth` plies ahead: the quickest win, the longest
        resistance, else the first in `moves`; the best order so far once `out_of_time()`.
        """


class Outlook(NamedTuple):
    """What a first look, without a search, tells: `decided` maps moves to values as in `search.py`, `open` to the nodes
    that a search has to look at; others are left to the player.
    """

    decided: Mapping[str, int]
    open: Mapping[str, Any]


class SearchingPlayer(BuiltinPlayer[P]):
    """A player whose search can be replaced by a faster equivalent."""

    @abstractmethod
    def search(self, position: P, out_of_time: OutOfTime) -> Search[Any]:
        """The player's own search for positions like this one."""

    @abstractmethod
    def outlook(self, position: P) -> Outlook:
        """The moves that win at once or lose to the reply, and the nodes that a search has to look at."""

    def rank(self, position: P, moves: Sequence[str], depth: int, out_of_time: OutOfTime) -> list[str]:
        return self.rank_by(self.search(position, out_of_time), position, moves, depth)

    @abstractmethod
    def rank_by(self, search: Search[Any], position: P, moves: Sequence[str], depth: int) -> list[str]:
        """`rank` with this search in place of the player's own."""


def won(position: Position, seat: int | None) -> bool:
    """Whether the match is over and this seat has won it."""
    outcome = position.outcome()
    return outcome is not None and seat is not None and outcome.winner == seat
