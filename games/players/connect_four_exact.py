"""Connect Four 7x6, exact, in plain Python: what `kernel/connect_four_7x6.c` does, node for node and 200 times slower.

The reference that the kernel is compared with, and the one that plays where no kernel can run. A score is for the
player to move: 22 minus the stones that the winner has used at the end, negative for a loss, 0 for a draw. So a higher
score is a quicker win or a later loss, and there are 37 possible ones.

Source of the score: Pascal Pons, "Solving Connect 4: how to build a perfect AI".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from games.players.connect_four_search import size
from games.players.search import WIN

LOWEST, HIGHEST = -18, 18  # nobody wins with fewer than four stones
_BOARD = size(7, 6)
_CELLS = 42
_TABLE_BITS = 19
_SPREAD = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, for Fibonacci hashing
_WORD = (1 << 64) - 1


def value(score: int, ply: int) -> int:
    """The score of a position at `ply` in the values of `search.py`, for the player to move there."""
    if score == 0:
        return 0
    winner = ply % 2 if score > 0 else 1 - ply % 2
    stones = 22 - abs(score)
    end = 2 * stones - 1 + winner
    return WIN - end if score > 0 else end - WIN


def key(mover: int, mask: int) -> int:
    """One number for each position, seven bits a column; never 0, which an empty slot of the kernel's table holds."""
    return mover + mask + _BOARD.bottom


class Solver(Protocol):
    """What the reference and the kernel both can."""

    @property
    def visited(self) -> int:
        """How many positions the last call visited."""

    def narrow(self, mover: int, mask: int, low: int, high: int, nodes: int) -> tuple[int, int]:
        """Bring the bounds `low` <= score <= `high` nearer to each other by visiting at most `nodes` positions.

        `mover` are the stones of the player to move, `mask` all stones, as `games.connect_four` lays them out. First
        comes whether the mover wins, draws or loses, then how soon; equal bounds are the score. What was found out is
        kept, so the same call again goes on. The position must not be over.
        """

    def forget(self) -> None:
        """Forget everything: the next call visits what it would visit in a new solver."""


class Reference:
    """The solver in plain Python. About 50 000 positions a second.

    `known`, called with `mover` and `mask`, gives the score of a position that need not be searched, such as one in a
    book, or None. It is only asked about positions without a win in one.
    """

    def __init__(self, known: Callable[[int, int], int | None] | None = None) -> None:
        self.visited = 0
        self._known = known
        self._allowed = 0
        self._table: dict[int, tuple[int, bool, int]] = {}  # slot: (key, whether a lower bound, score)

    def narrow(self, mover: int, mask: int, low: int, high: int, nodes: int) -> tuple[int, int]:
        """See Solver."""
        self.visited, self._allowed = 0, nodes
        empty = _BOARD.full ^ mask
        if _BOARD.completing(mover, empty) & (mask + _BOARD.bottom):
            low = high = (_CELLS - mask.bit_count() + 1) // 2
        theirs = _BOARD.completing(mover ^ mask, empty)
        while low < high:
            middle = 0 if low <= 0 < high else -1 if low < 0 == high else low + (high - low) // 2
            score = self._value(mover, mask, theirs, middle, middle + 1)
            if self.visited > nodes:
                break
            if score > middle:
                low = score
            else:
                high = score
        return low, high

    def forget(self) -> None:
        """See Solver."""
        self._table.clear()

    def _value(self, mover: int, mask: int, theirs: int, alpha: int, beta: int) -> int:
        """The score between `alpha` and `beta`, or a bound beyond them; the mover has no win in one.

        `theirs` are the cells that complete a line for the other. The value means nothing once more nodes were visited
        than are allowed.
        """
        self.visited += 1
        if self.visited > self._allowed:
            return alpha
        if self._known is not None and (score := self._known(mover, mask)) is not None:
            return score
        left = _CELLS - mask.bit_count()
        playable = (mask + _BOARD.bottom) & _BOARD.full
        forced = playable & theirs
        moves = (forced or playable) & ~(theirs >> 1)
        if not moves or forced & (forced - 1):
            return -(left // 2)
        if left <= 2:
            return 0
        least, most = -((left - 2) // 2), (left - 1) // 2
        alpha, beta = max(alpha, least), min(beta, most)
        if alpha >= beta:
            return alpha if alpha == least else beta
        own = key(mover, mask)
        slot = (own * _SPREAD & _WORD) >> (64 - _TABLE_BITS)
        kept, is_lower, known = self._table.get(slot, (0, False, 0))
        if kept == own:
            if known >= beta if is_lower else known <= alpha:
                return known
            alpha, beta = (max(alpha, known), beta) if is_lower else (alpha, min(beta, known))
        for move, threats in _ordered(mover, mask, moves):
            score = -self._value(mover ^ mask, mask | move, threats, -beta, -alpha)
            if self.visited > self._allowed:
                return alpha
            if score >= beta:
                self._table[slot] = own, True, score
                return score
            alpha = max(alpha, score)
        self._table[slot] = own, False, alpha
        return alpha


def _ordered(mover: int, mask: int, moves: int) -> list[tuple[int, int]]:
    """Each move with the threats after it: most threats first, of equal ones the nearest to the centre."""
    found = []
    for _, file in _BOARD.from_centre:
        if move := moves & file:
            found.append((move, _BOARD.completing(mover | move, _BOARD.full ^ mask ^ move)))
    return sorted(found, key=lambda played: -played[1].bit_count())
