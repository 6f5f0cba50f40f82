"""Bitboards of Connect Four: cells that complete a line, and the nodes of the search."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from games.players.connect_four_search import ConnectFourSearch, Node, size
from games.players.search import WIN
from tests.kit.positions import never

SIZES = [(7, 6), (8, 8), (4, 4), (5, 9)]


def bit(rows: int, column: int, row: int) -> int:
    return 1 << column * (rows + 1) + row


def makes_four(columns: int, rows: int, stones: int, column: int, row: int) -> bool:
    """Whether a stone on this cell is one of four in a row, counted cell by cell."""

    def reach(across: int, up: int) -> int:
        x, y, length = column + across, row + up, 0
        while 0 <= x < columns and 0 <= y < rows and stones & bit(rows, x, y):
            x, y, length = x + across, y + up, length + 1
        return length

    return any(reach(a, u) + reach(-a, -u) >= 3 for a, u in ((0, 1), (1, 0), (1, 1), (1, -1)))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_completing_cells_are_those_that_make_four(columns: int, rows: int) -> None:
    board, rng = size(columns, rows), Random(columns)
    cells = list(product(range(columns), range(rows)))
    for _ in range(60):
        heights = [rng.randrange(rows + 1) for _ in range(columns)]
        empty = [(column, row) for column, row in cells if row >= heights[column]]
        stones = sum(bit(rows, *cell) for cell in cells if cell not in empty and rng.random() < 0.7)
        expected = sum(bit(rows, *cell) for cell in empty if makes_four(columns, rows, stones, *cell))
        assert board.completing(stones, sum(bit(rows, *cell) for cell in empty)) == expected


def test_children_leave_out_every_move_that_loses_at_once() -> None:
    board = size(7, 6)
    mover, other = bit(6, 6, 0) | bit(6, 6, 1), bit(6, 0, 0) | bit(6, 0, 1) | bit(6, 0, 2)
    children = ConnectFourSearch(board, never).children(board.node(mover, other))
    assert [(child[1], child[2]) for child in children] == [(other, mover | other | bit(6, 0, 3))]


def test_two_wins_of_the_other_settle_it_at_the_ply_of_the_second_move() -> None:
    board = size(7, 6)
    other = bit(6, 2, 0) | bit(6, 3, 0) | bit(6, 4, 0)
    mover = bit(6, 2, 1) | bit(6, 3, 1)
    assert ConnectFourSearch(board, never).settled(board.node(mover, other)) == 5 + 2 - WIN


def test_equal_keys_are_equal_positions() -> None:
    board, rng = size(4, 4), Random(1)
    seen: dict[int, tuple[int, int]] = {}
    search = ConnectFourSearch(board, never)
    for _ in range(300):
        node: Node = board.node(0, 0)
        while search.settled(node) is None and (children := search.children(node)):
            node = rng.choice(children)
            assert seen.setdefault(search.key(node), node[1:3]) == node[1:3]


def test_a_threat_in_its_own_rows_is_worth_more() -> None:
    board = size(7, 6)
    search = ConnectFourSearch(board, never)
    odd, even = bit(6, 6, 2), bit(6, 6, 3)
    assert search.estimate((0, 0, 0, odd, 0)) > search.estimate((0, 0, 0, even, 0)) > search.estimate((0, 0, 0, 0, 0))
