"""The player of every game that has none of its own: alpha-beta over nothing but the rules."""

from __future__ import annotations

from collections.abc import Sequence

from games.game import Position
from games.players.player import BuiltinPlayer
from games.players.search import WIN, OutOfTime, Search


class RulesSearch(Search[Position]):
    """Alpha-beta through `legal_moves`, `play` and `outcome`; it estimates nothing and sees only what is decided."""

    def key(self, node: Position) -> Position:
        """Equal positions are equal values."""
        return node

    def settled(self, node: Position) -> int | None:
        """The value of a finished match. The mover is whose turn it would be: play alternates."""
        outcome = node.outcome()
        if outcome is None:
            return None
        if outcome.winner is None:
            return 0
        return WIN - node.ply if outcome.winner == node.ply % 2 else node.ply - WIN

    def estimate(self, node: Position) -> int:
        """An open match is worth a draw."""
        return 0

    def children(self, node: Position) -> list[Position]:
        """Every move, in the order of the rules."""
        return [node.play(move) for move in node.legal_moves()]


class GenericPlayer(BuiltinPlayer[Position]):
    """Plays any game of two seats that move in turn."""

    for_position = Position

    def rank(self, position: Position, moves: Sequence[str], depth: int, out_of_time: OutOfTime) -> list[str]:
        """Alpha-beta with iterative deepening; exact where the whole tree fits into the time."""
        nodes = {move: position.play(move) for move in moves}
        return RulesSearch(out_of_time).rank(nodes, position.ply, depth)


PLAYER = GenericPlayer()
