"""The Expanding Nim player: exact for any number of stones and resets.

The table of winning positions is built from the last stone upwards. One integer holds all combinations of remaining
resets: bit `11 * i + j` stands for i resets of seat 0 and j of seat 1, where 10 means unlimited. So the table of 1 000
stones is 29 000 pairs of (stones left, largest take), not 1.5 million states, and takes 0.2 s instead of 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial, reduce
from operator import or_

from games.expanding_nim import NimPosition
from games.players.player import BuiltinPlayer
from games.players.search import OutOfTime

_UNLIMITED = 10
_SIDE = _UNLIMITED + 1
_ROW = (1 << _SIDE) - 1
_ALL = (1 << _SIDE * _SIDE) - 1
_ENDLESS_0 = _ROW << _UNLIMITED * _SIDE  # seat 0 has unlimited resets
_FIRST_COLUMN = sum(1 << _SIDE * i for i in range(_SIDE))
_ENDLESS_1 = _FIRST_COLUMN << _UNLIMITED
_START_LARGEST = 2
_BOUND_TAKE = 3  # the most stones a player may take just after a reset

# table[largest][reset_bound][seat][stones left]: the combinations of resets with which that seat loses when to move
Lists = tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]]
Table = dict[int, Lists]


class NimPlayer(BuiltinPlayer[NimPosition]):
    """Never loses a won match at `best`; `club` and `expert` differ from it only by their error rate."""

    for_position = NimPosition
    slips = 2.0

    def wins(self, position: NimPosition) -> list[str]:
        """Taking all stones that are left."""
        return [move for move in position.legal_moves() if _take(move) == position.stones]

    def replies_that_win(self, position: NimPosition, move: str) -> int:
        """1 if the opponent can take all that `move` leaves: with or without a reset, it counts as one win."""
        left = position.stones - _take(move)
        most = _BOUND_TAKE if move.endswith("r") else max(position.largest, _take(move)) + 1
        return int(0 < left <= most)

    def weight(self, position: NimPosition, move: str) -> float:
        """A bias for players that do not look ahead: a winning move is as likely as two others."""
        return 2 if _loses(_table_for(position), position.play(move)) else 1

    def rank(self, position: NimPosition, moves: Sequence[str], depth: int, out_of_time: OutOfTime) -> list[str]:
        """Winning moves, the largest without a reset first; then the moves that leave the fewest winning answers.

        Exact at every depth and within microseconds once the table exists, so depth and time are ignored.
        """
        table = _table_for(position)
        return sorted(moves, key=lambda move: _promise(table, position.play(move), move), reverse=True)


PLAYER = NimPlayer()


def loses(position: NimPosition) -> bool:
    """Whether the player to move loses against best play; true when no stones are left."""
    return losing_after(position)(position)


def losing_after(position: NimPosition) -> Callable[[NimPosition], bool]:
    """The same for all positions that can follow `position`, from one table."""
    return partial(_loses, _table_for(position))


def _take(move: str) -> int:
    return int(move.removesuffix("r"))


def _promise(table: Table, after: NimPosition, move: str) -> tuple[bool, int, bool, int]:
    keeps_reset = not move.endswith("r")
    if _loses(table, after):
        return True, 0, keeps_reset, _take(move)
    answers = sum(_loses(table, after.play(answer)) for answer in after.legal_moves())
    return False, -answers, keeps_reset, -_take(move)


def _loses(table: Table, position: NimPosition) -> bool:
    i, j = (_UNLIMITED if left is None else left for left in position.resets)
    largest = min(position.largest, max(table))
    return bool(table[largest][position.reset_bound][position.ply % 2][position.stones] >> (_SIDE * i + j) & 1)


def _table_for(position: NimPosition) -> Table:
    """The table of the whole match; only of this position if play cannot reach such a large take."""
    least_taken = sum(range(_START_LARGEST + 1, position.largest + 1))
    if position.stones + least_taken <= position.start:
        return _table(position.start, _START_LARGEST)
    return _table(position.stones, min(position.largest, position.stones))


@lru_cache(maxsize=4)  # 1 000 stones take 8 MB
def _table(stones: int, largest: int) -> Table:
    """The losing combinations for everything that can follow `stones` left with this largest take."""
    region = {largest: stones}
    while (stones := stones - largest - 1) >= 0:  # each larger take was made at least once
        largest += 1
        region[largest] = stones
    table: Table = {}
    for largest, stones in reversed(region.items()):
        table[largest] = _lists(largest, stones, table.get(largest + 1))
    return table


def _lists(largest: int, stones: int, above: Lists | None) -> Lists:
    here: Lists = (([_ALL], [_ALL]), ([_ALL], [_ALL]))
    for left in range(1, stones + 1):
        for reset_bound, most in ((0, largest + 1), (1, _BOUND_TAKE)):
            for seat in (0, 1):
                plain, with_reset = (_lost_after(here, above, bound, 1 - seat, largest, most, left) for bound in (0, 1))
                here[reset_bound][seat].append(_ALL ^ (plain | _spend(seat, with_reset)))
    return here


def _lost_after(here: Lists, above: Lists | None, bound: int, seat: int, largest: int, most: int, left: int) -> int:
    """The combinations with which `seat` loses after at least one of the takes from 1 to `most`."""
    window = here[bound][seat][max(0, left - min(most, largest)) : left]
    lost = reduce(or_, window, 0)
    if above is not None and most > largest and left > largest:
        lost |= above[bound][seat][left - largest - 1]
    return lost


def _spend(seat: int, after: int) -> int:
    """The combinations from which a reset of `seat` leads to one of those in `after`."""
    if seat == 0:
        return (after << _SIDE) & _ALL & ~_ENDLESS_0 | after & _ENDLESS_0
    return (after << 1) & _ALL & ~(_FIRST_COLUMN | _ENDLESS_1) | after & _ENDLESS_1
