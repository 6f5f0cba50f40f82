"""Bitboards of Santorini: turns, threats and what the search makes of them."""

from __future__ import annotations

import pytest

from games.players.santorini import _node, _turn
from games.players.santorini_search import Levels, SantoriniMasks, SantoriniSearch, bits, built, height, size
from games.players.search import WIN
from games.santorini import SantoriniPosition
from tests.kit.positions import never, random_positions

FLAT: Levels = (0, 0, 0, 0)


def cell(board: SantoriniMasks, name: str) -> int:
    return 1 << (board.size - int(name[1])) * board.size + ord(name[0]) - ord("a")


def levels(board: SantoriniMasks, **heights: int) -> Levels:
    found = FLAT
    for name, count in heights.items():
        for _ in range(count):
            found = built(found, cell(board, name))
    return found


def squares(board: SantoriniMasks, *names: str) -> int:
    return sum(cell(board, name) for name in names)


@pytest.mark.parametrize("slug", ["santorini-5x5", "santorini-6x6"])
def test_turns_are_the_legal_moves_of_the_rules(slug: str) -> None:
    for position in (position for seed in range(3) for position in random_positions(slug, seed)):
        assert isinstance(position, SantoriniPosition)
        if position.ply < 4:
            continue
        board = size(position.size)
        _, mine, theirs, heights = _node(position)
        turns = list(board.turns(mine, theirs, heights, board.all))
        assert len(turns) == len(set(turns))
        assert set(turns) == {_turn(position.size, move) for move in position.legal_moves()}


def test_a_cell_is_as_high_as_it_was_built() -> None:
    board = size(5)
    heights = levels(board, a1=1, b2=2, c3=3, d4=4)
    assert [height(cell(board, name), heights) for name in ("e5", "a1", "b2", "c3", "d4")] == [0, 1, 2, 3, 4]


def test_a_step_up_to_three_is_a_win_only_from_two() -> None:
    board = size(5)
    heights = levels(board, c3=3, b2=2, d4=1)
    assert board.wins(cell(board, "b2"), heights) == cell(board, "c3")
    assert board.wins(cell(board, "d4"), heights) == 0
    assert board.wins(cell(board, "b2"), levels(board, c3=4, b2=2)) == 0


def test_safe_sites_are_the_dome_that_is_needed_or_all_but_the_step_that_helps() -> None:
    board = size(5)
    theirs = squares(board, "b2", "e5")
    assert board.safe_sites(theirs, levels(board, b2=2, c3=3)) == cell(board, "c3")
    assert board.safe_sites(theirs, levels(board, b2=2, c3=2)) == board.all ^ cell(board, "c3")
    assert board.safe_sites(theirs, levels(board, b2=2, c3=3, a1=3)) == 0


def test_two_threats_lose_in_two_and_no_step_loses_at_once() -> None:
    board = size(5)
    search = SantoriniSearch(board, never)
    mine, theirs = squares(board, "e1", "e2"), squares(board, "b2", "e5")
    assert search.settled((20, mine, theirs, levels(board, b2=2, c3=3, a1=3))) == 22 - WIN
    assert search.settled((20, mine, theirs, levels(board, b2=2, c3=3))) is None
    walls = levels(board, d1=2, d2=2, d3=2, e3=2)
    assert search.settled((20, mine, theirs, walls)) == 20 - WIN


def test_no_child_lets_the_other_step_up() -> None:
    board = size(5)
    mine, theirs = squares(board, "d3", "e1"), squares(board, "b2", "e5")
    node = (20, mine, theirs, levels(board, b2=2, c3=3, a3=2))
    children = list(SantoriniSearch(board, never).children(node))
    assert children
    assert all(not board.wins(movers, heights) for _, movers, _, heights in children)
    assert all(height(cell(board, "c3"), heights) == 4 for *_, heights in children)


def test_height_and_room_are_worth_something() -> None:
    board = size(5)
    up = levels(board, c3=1)
    assert board.worth(cell(board, "c3"), board.all, up) > board.worth(cell(board, "c3"), board.all, FLAT)
    assert board.worth(cell(board, "c3"), board.all, FLAT) > board.worth(cell(board, "a1"), board.all, FLAT)


def test_bits_come_one_by_one() -> None:
    assert bits(0b1011) == (1, 2, 8)
    assert bits(0) == ()
