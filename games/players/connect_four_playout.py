"""Random Connect Four matches on bare integers, as fast as plain Python plays them.

A seat's stones are one integer with four copies of the board, each laid out along one direction (columns, rows, both
diagonals) with a gap after every line. So one shift by 1 and one by 2 find four in a row in all directions at once. It
takes 0.3 µs a move, against 0.7 with one board and four pairs of shifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

Line = list[tuple[int, int]]


def random_playout(columns: int, rows: int, rng: Random) -> tuple[int | None, int]:
    """Play one match of uniformly random moves. Returns the winning seat (None for a draw) and the plies played."""
    cells, drawn, dropped = _tables(columns, rows)
    heights = [0] * columns
    mover = other = plies = 0
    while True:
        for column in rng.randbytes(64).translate(drawn, dropped):
            height = heights[column]
            if height == rows:  # redrawing until a column is open is uniform over the open ones
                continue
            heights[column] = height + 1
            mover |= cells[column][height]
            plies += 1
            pairs = mover & (mover >> 1)
            if pairs & (pairs >> 2):
                return 1 - plies % 2, plies
            if plies == columns * rows:
                return None, plies
            mover, other = other, mover


@cache
def _tables(columns: int, rows: int) -> tuple[list[list[int]], bytes, bytes]:
    """The four bits of each cell; the table that maps random bytes to columns; the bytes to discard."""
    bits = dict.fromkeys(((column, row) for column in range(columns) for row in range(rows)), 0)
    place = 0
    for line in _lines(columns, rows):
        for cell in line:
            bits[cell] |= 1 << place
            place += 1
        place += 1
    cells = [[bits[column, row] for row in range(rows)] for column in range(columns)]
    drawn = bytes(byte % columns for byte in range(256))
    return cells, drawn, bytes(range(256 - 256 % columns, 256))


def _lines(columns: int, rows: int) -> Iterator[Line]:
    for column in range(columns):
        yield [(column, row) for row in range(rows)]
    for row in range(rows):
        yield [(column, row) for column in range(columns)]
    for start in range(-columns, columns + rows):
        yield [(column, start + column) for column in range(columns) if 0 <= start + column < rows]
        yield [(column, start - column) for column in range(columns) if 0 <= start - column < rows]
