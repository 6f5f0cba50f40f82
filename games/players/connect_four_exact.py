"""Exact Connect Four 7x6 in plain Python: `kernel/connect_four_7x6.c`, node for node, 200 times slower.

Tests compare the kernel with it, and it plays where no kernel can run. A score is for the player to move: 22 minus the
stones that the winner has used at the end, negative for a loss, 0 for a draw. So a higher score is a quicker win or a
later loss, and there are 37 possible scores.

Source of the score: Pascal Pons, "Solving Connect 4: how to build a perfect AI".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from games.players.connect_four_search import size
from games.players.search import WIN

LOWEST, HIGHEST = -18, 18  # no win takes fewer than four stones
_BOARD = size(7, 6)
_CELLS = 42
_TABLE_BITS = 19
_SPREAD = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, for Fibonacci hashing
_WORD = (1 << 64) - 1


def value(score: int, ply: int) -> int:
    """Convert the score of a position at `ply` to the values of `search.py`, for the player to move there."""
    if score == 0:
        return 0
    winner = ply % 2 if score > 0 else 1 - ply % 2
    stones = 22 - abs(score)
    end = 2 * stones - 1 + winner
    return WIN - end if score > 0 else end - WIN


def key(mover: int, mask: int) -> int:
    """A unique number for each position, seven bits a column; never 0, which marks an empty slot of the table."""
    return mover + mask + _BOARD.bottom


class Solver(Protocol):
    """The interface that the reference and the kernel share."""

    @property
    def visited(self) -> int:
        """The number of positions that the last call visited."""

    def narrow(self, mover: int, mask: int, low: int, high: int, nodes: int) -> tuple[int, int]:
        """Tighten the bounds `low` <= score <= `high` by visiting at most `nodes` positions, and return them.

        `mover` are the stones of the player to move, `mask` all stones, in the layout of `games.connect_four`. It first
        finds whether the mover wins, draws or loses, then how soon; equal bounds are the score. Results are kept, so
        that another call continues. The position must not be over.
        """

    def forget(self) -> None:
        """Discard all results, so that the next call visits what it would visit in a new solver."""


class Reference:
    """The solver in plain Python: about 50 000 positions a second. `known(mover, mask)` returns a score without a
    search, as from a book, or None, for positions without a win in one.
    """

    def __init__(self, known: Callable[[int, int], int | None] | None = None) -> None:
        self.visited = 0
        self._known = known
        self._allowed = 0
        self._table: dict[int, tuple[int, bool, int]] = {}  # slot: (key, whether a lower bound, score)

    def narrow(self, mover: int, mask: int, low: int, high: int, nodes: int) -> tuple[int, int]:
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
        self._table.clear()

    def _value(self, mover: int, mask: int, theirs: int, alpha: int, beta: int) -> int:
        """The score if it lies between `alpha` and `beta`, else a bound beyond them, without a win in one; meaningless
        once out of nodes. `theirs` are the cells that complete a line for the opponent.
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
    """Each move with the threats after it: most threats first; of equal ones, the nearest to the centre first."""
    found = []
    for _, file in _BOARD.from_centre:
        if move := moves & file:
            found.append((move, _BOARD.completing(mover | move, _BOARD.full ^ mask ^ move)))
    return sorted(found, key=lambda played: -played[1].bit_count())
