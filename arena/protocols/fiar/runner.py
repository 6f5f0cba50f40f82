"""The output of protocol text 001: with `-v` the boards; after an illegal answer the request is repeated."""

from __future__ import annotations

from arena.protocols.drop_in import End, Output, rows, spaced
from games import Position


class FiarOutput(Output):
    """Prints the boards with `-v`, otherwise only the result."""

    variant = "connect-four-7x6"
    players = ("player @", "player O")
    may_be_quiet = True

    def sent(self, position: Position) -> list[str]:
        """Everything that this protocol sends is a request."""
        return self._board(position)

    def result(self, end: End) -> list[str]:
        board = self._board(end.position)
        if end.winner is None:
            # The original prints a full board once more, as before a move, and then finds that there is none.
            return [*board, *board, "Draw."]
        return [*board, f"Player {'@O'[end.winner]} wins."]

    def _board(self, position: Position) -> list[str]:
        return ["1 2 3 4 5 6 7", *map(spaced, rows(position, ".@O"))] if self.verbose else []
