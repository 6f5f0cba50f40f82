"""The Santorini player: wins, threats, traps and placing."""

from __future__ import annotations

import pytest

import games
from games.players.santorini import PLAYER
from games.santorini import SantoriniPosition
from tests.kit.positions import after, never, wins_in_one

FIVE = games.variant("santorini-5x5")


def at(heights: str, workers: str, seat: int = 0) -> SantoriniPosition:
    """A 5x5 position: five rows of heights from the north, workers of the first and the second seat, who moves."""
    levels = tuple(int(digit) for digit in heights.replace(" ", ""))
    first, second = (
        [(5 - int(name[1])) * 5 + ord(name[0]) - 65 for name in part.split(".")] for part in workers.split()
    )
    return SantoriniPosition(5, levels, (first[0], second[0], first[1], second[1]), 100 + seat)


def rank(position: SantoriniPosition, depth: int = 3) -> list[str]:
    return PLAYER.rank(position, position.legal_moves(), depth, never)


def test_a_step_up_to_three_comes_first() -> None:
    position = at("00000 00000 02300 00001 00000", "B3.E1 A5.E5")
    assert rank(position)[0] == "b3-c3"
    assert PLAYER.wins(position) == ["b3-c3"]


def test_a_turn_that_leaves_the_other_no_turn_is_a_win() -> None:
    # The second seat stands in the corner a1 and beside it: one more level on a2 or b2 walls it in.
    position = at("00000 00000 00000 12200 00220", "A3.E5 A1.B1")
    assert PLAYER.wins(position) == wins_in_one(position) != []


def test_a_threat_is_answered_with_a_dome() -> None:
    position = at("00000 00000 02300 00000 00000", "D2.E5 B3.A5", seat=0)
    best = rank(position)[0]
    assert best.endswith("+c3")
    assert PLAYER.replies_that_win(position, best) == 0


def test_two_threats_at_once_are_made_when_they_can_be() -> None:
    # From c2 (height 2) both b3 and d3 (height 3) are one step: the other can put a dome on one of them.
    position = at("00000 00000 03030 00210 00000", "D2.A1 E5.A5")
    behind = position.play(rank(position)[0])
    assert isinstance(behind, SantoriniPosition)
    assert all(wins_in_one(behind.play(reply)) for reply in behind.legal_moves())


def test_all_moves_are_ranked_once() -> None:
    position = at("00000 00000 02300 00001 00000", "D2.E1 B3.E5")
    assert sorted(rank(position, depth=1)) == sorted(position.legal_moves())


@pytest.mark.parametrize("slug", ["santorini-5x5", "santorini-6x6"])
def test_workers_are_placed_towards_the_centre(slug: str) -> None:
    position = games.variant(slug).start()
    assert isinstance(position, SantoriniPosition)
    inner = range(1, position.size - 1)
    for _ in range(4):
        move = rank(position)[0]
        assert ord(move[0]) - ord("a") in inner and int(move[1:]) - 1 in inner
        position = position.play(move)


def test_higher_and_more_central_cells_weigh_more() -> None:
    position = at("00000 00000 01000 00000 00000", "B2.E1 A5.E5")
    assert PLAYER.weight(position, "b2-b3+b2") > PLAYER.weight(position, "b2-b1+b2")
    start = FIVE.start()
    assert isinstance(start, SantoriniPosition)
    assert PLAYER.weight(start, "c3") > PLAYER.weight(start, "a1")


def test_an_end_of_time_at_once_gives_a_legal_move() -> None:
    position = at("00000 00000 01000 00000 00000", "B2.E1 A5.E5")
    assert PLAYER.rank(position, position.legal_moves(), 200, after(0))[0] in position.legal_moves()
