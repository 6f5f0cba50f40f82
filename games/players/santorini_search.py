"""Santorini on bitboards, one bit a cell: turns, their estimated worth, and the search that looks ahead with them.

Heights are four boards: `levels[k]` marks the cells built to at least k + 1. The search only looks at positions in
which the mover has no win in one: a turn that would allow one is not among the children. Only a winner ever stands on
height 3, so a player who threatens to step there can only be stopped by a dome.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cache
from itertools import chain
from typing import cast

from games.players.search import WIN, OutOfTime, Search

Levels = tuple[int, int, int, int]
# (ply, workers of the mover, workers of the other, levels)
Node = tuple[int, int, int, Levels]
# (from, to, build), each one bit; a winning step builds nothing, 0
Turn = tuple[int, int, int]


# Spreads keys over the kernel's table: 2**64 divided by the golden ratio.
_SPREAD, _WORD, _TABLE_BITS = 0x9E3779B97F4A7C15, (1 << 64) - 1, 18

# The worth of a worker's height, and of each cell it could step to next by that cell's height.
_STANDING = (0, 24, 60)
_STEP = 2
_STEP_UP = (3, 9, 15)  # more for height 1, 2 and 3


class SantoriniMasks:
    """The precomputed masks of one board size."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.all = (1 << size * size) - 1
        self.near = {1 << cell: _near(size, cell) for cell in range(size * size)}
        self.centrality = {1 << cell: _centrality(size, cell) for cell in range(size * size)}

    def targets(self, worker: int, free: int, levels: Levels) -> int:
        """The `free` cells that a worker may step to; `free` must not include domes."""
        one, two, three, _ = levels
        too_high = 0 if worker & two else three if worker & one else two
        return self.near[worker] & free & ~too_high

    def steps(self, mine: int, theirs: int, levels: Levels) -> int:
        """All cells that any of the workers `mine` may step to."""
        free = self.all & ~(mine | theirs | levels[3])
        cells = 0
        for worker in bits(mine):
            cells |= self.targets(worker, free, levels)
        return cells

    def reach(self, workers: int, heights: int) -> int:
        """The cells next to those `workers` that stand on `heights`."""
        near = 0
        for worker in bits(workers & heights):
            near |= self.near[worker]
        return near

    def wins(self, workers: int, levels: Levels) -> int:
        """The cells of height 3 that any of the `workers` can step up to; they are always free."""
        _, two, three, domes = levels
        return self.reach(workers, two) & three & ~domes

    def turns(self, mine: int, theirs: int, levels: Levels, sites: int) -> Iterator[Turn]:
        """Every legal turn of a mover with workers `mine` that wins, or builds on one of the `sites`.

        Steps up and to the centre come first; after each step, builds that can be stepped up to next come first.
        """
        free = self.all & ~(mine | theirs | levels[3])
        steps = [
            (8 * (height(target, levels) - height(origin, levels)) + self.centrality[target], origin, target)
            for origin in bits(mine)
            for target in bits(self.targets(origin, free, levels))
        ]
        for _, origin, target in sorted(steps, reverse=True):
            if target & levels[2]:
                yield origin, target, 0
                continue
            around = self.near[target] & (free | origin) & sites
            too_high = levels[height(target, levels)]
            for site in chain(bits(around & ~too_high), bits(around & too_high)):
                yield origin, target, site

    def safe_sites(self, theirs: int, levels: Levels) -> int:
        """The sites to build on that leave the opponent, with workers `theirs`, no step up to height 3."""
        one, two, three, domes = levels
        reach = self.reach(theirs, two)
        wins = reach & three & ~domes
        if not wins:
            return self.all & ~(reach & two & ~three)
        return 0 if wins & (wins - 1) else wins

    def worth(self, workers: int, free: int, levels: Levels) -> int:
        """The estimated worth of the workers: how high they stand, where they can go, and how high that is."""
        one, two, three, _ = levels
        total = 0
        for worker in bits(workers):
            steps = self.near[worker] & free
            if worker & two:
                total += _STANDING[2] + _STEP_UP[2] * (steps & three).bit_count()
            elif worker & one:
                total += _STANDING[1]
                steps &= ~three
            else:
                steps &= ~two
            climbs = _STEP_UP[0] * (steps & one).bit_count() + _STEP_UP[1] * (steps & two).bit_count()
            total += self.centrality[worker] + _STEP * steps.bit_count() + climbs
        return total


size = cache(SantoriniMasks)


class SantoriniSearch(Search[Node]):
    """Alpha-beta over turns."""

    def __init__(self, board: SantoriniMasks, out_of_time: OutOfTime) -> None:
        super().__init__(out_of_time)
        self._board = board

    def key(self, node: Node) -> tuple[int, int, Levels]:
        """The ply is left out, because the heights determine it."""
        return node[1:]

    def slot(self, key: Hashable) -> int:
        """One of 2**18 slots, as in the kernel's table."""
        mine, theirs, levels = cast(tuple[int, int, Levels], key)
        mixed = self._board.size
        for word in (mine, theirs, *levels):
            mixed = (mixed ^ word) * _SPREAD & _WORD
            mixed ^= mixed >> 32
        return mixed >> (64 - _TABLE_BITS)

    def settled(self, node: Node) -> int | None:
        """A loss when no worker can step; a loss in two when the opponent threatens to step up in two places."""
        ply, mine, theirs, levels = node
        if not self._board.steps(mine, theirs, levels):
            return ply - WIN
        wins = self._board.wins(theirs, levels)
        return ply + 2 - WIN if wins & (wins - 1) else None

    def hopeless(self, node: Node) -> int:
        """The value when every turn lets the opponent step up to height 3."""
        return node[0] + 2 - WIN

    def estimate(self, node: Node) -> int:
        """The difference in height and in available steps."""
        _, mine, theirs, levels = node
        free = self._board.all & ~(mine | theirs | levels[3])
        return self._board.worth(mine, free, levels) - self._board.worth(theirs, free, levels)

    def children(self, node: Node) -> Iterator[Node]:
        """The turns that leave the opponent no step up to height 3."""
        ply, mine, theirs, levels = node
        sites = self._board.safe_sites(theirs, levels)
        for origin, target, site in self._board.turns(mine, theirs, levels, sites):
            yield ply + 1, theirs, mine ^ origin | target, built(levels, site)


@cache
def bits(cells: int) -> tuple[int, ...]:
    """Each bit of `cells` on its own; cached, fewer than 20 000 sets: pairs of workers and parts of a neighbourhood."""
    return tuple(1 << cell for cell in range(cells.bit_length()) if cells >> cell & 1)


def height(cell: int, levels: Levels) -> int:
    """The height of the cell, 0 to 4."""
    one, two, three, domes = levels
    if not cell & two:
        return 1 if cell & one else 0
    return 2 if not cell & three else 4 if cell & domes else 3


def built(levels: Levels, site: int) -> Levels:
    """`levels` with one more level on `site`."""
    one, two, three, domes = levels
    if not site & one:
        return one | site, two, three, domes
    if not site & two:
        return one, two | site, three, domes
    if not site & three:
        return one, two, three | site, domes
    return one, two, three, domes | site


def _near(size: int, cell: int) -> int:
    row, column = divmod(cell, size)
    rows = range(max(row - 1, 0), min(row + 2, size))
    columns = range(max(column - 1, 0), min(column + 2, size))
    return sum(1 << r * size + c for r in rows for c in columns if (r, c) != (row, column))


def _centrality(size: int, cell: int) -> int:
    """The distance to the nearest edge in cells, 0 at the rim."""
    row, column = divmod(cell, size)
    return min(row, column, size - 1 - row, size - 1 - column)
