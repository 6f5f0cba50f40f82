"""The player of every game that has none of its own: alpha-beta on the rules alone."""

from __future__ import annotations

from collections.abc import Sequence

from games.game import Position
from games.players.player import BuiltinPlayer
from games.players.search import WIN, OutOfTime, Search


class RulesSearch(Search[Position]):
    """Alpha-beta through `legal_moves`, `play` and `outcome`; it estimates nothing and only sees finished matches."""

    def key(self, node: Position) -> Position:
        """The position itself: equal positions compare equal."""
        return node

    def settled(self, node: Position) -> int | None:
        """The value of a finished match for the seat whose turn it would be: seats alternate."""
        outcome = node.outcome()
        if outcome is None:
            return None
        if outcome.winner is None:
            return 0
        return WIN - node.ply if outcome.winner == node.ply % 2 else node.ply - WIN

    def estimate(self, node: Position) -> int:
        """An unfinished match counts as a draw."""
        return 0

    def children(self, node: Position) -> list[Position]:
        """The positions after every move, in the order of the rules."""
        return [node.play(move) for move in node.legal_moves()]


class GenericPlayer(BuiltinPlayer[Position]):
    """Plays any game in which two seats move in turn."""

    for_position = Position

    def rank(self, position: Position, moves: Sequence[str], depth: int, out_of_time: OutOfTime) -> list[str]:
        """Alpha-beta with iterative deepening; exact where the whole tree fits into the time."""
        nodes = {move: position.play(move) for move in moves}
        return RulesSearch(out_of_time).rank(nodes, position.ply, depth)


PLAYER = GenericPlayer()
