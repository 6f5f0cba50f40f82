"""Exact Expanding Nim, with the quickest win against the longest resistance: who wins after each move by the player's
table, how soon from every position that can follow (0.2 s for a match of 100 stones).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from games.expanding_nim import NimPosition
from games.players.expanding_nim import losing_after
from games.players.prover import Bounds
from games.players.search import WIN

MOST_STONES = 120  # the most stones for which the length of the match is computed
_BOUND_TAKE = 3
_UNLIMITED = -1


def values(position: NimPosition) -> dict[str, Bounds]:
    """The value of every legal move for the player who makes it, in the values of `search.py`."""
    loses = losing_after(position)
    return {move: _bounds(position.play(move), loses) for move in position.legal_moves()}


def _bounds(after: NimPosition, loses: Callable[[NimPosition], bool]) -> Bounds:
    if after.stones > MOST_STONES:
        soonest = after.ply
        return Bounds(1, WIN - soonest) if loses(after) else Bounds(soonest - WIN, -1)
    left = 0 if not after.stones else _plies(after.stones, after.largest, after.reset_bound, *_resets(after))
    end = after.ply + abs(left)
    value = WIN - end if left <= 0 else end - WIN
    return Bounds(value, value)


def _resets(position: NimPosition) -> tuple[int, int]:
    mine, theirs = (_UNLIMITED if left is None else left for left in position.resets)
    return (theirs, mine) if position.ply % 2 else (mine, theirs)


@lru_cache(maxsize=400_000)
def _plies(stones: int, largest: int, bound: bool, mine: int, theirs: int) -> int:
    """The remaining plies of the match, negative if the player to move loses; at least one stone must be left.

    `mine` and `theirs` are the remaining resets of the player to move and of the opponent.
    """
    most = min(stones, _BOUND_TAKE if bound else largest + 1)
    if most == stones:
        return 1
    won, lost = 0, 0
    for take in range(1, most + 1):
        left = stones - take
        after = min(max(largest, take), left)  # a larger take is never possible
        for reset in (False, True)[: 1 + (mine != 0)]:
            found = _plies(left, after, reset, theirs, mine - 1 if reset and mine > 0 else mine)
            if found < 0:
                won = min(won or 1 - found, 1 - found)
            else:
                lost = max(lost, 1 + found)
    return won or -lost
