from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import games
from games import Position
from games.expanding_nim import NimPosition
from games.players import expanding_nim, expanding_nim_exact
from games.players.expanding_nim import loses
from games.players.prover import Bounds
from games.players.search import WIN


def at(stones: int, **settings: Any) -> NimPosition:
    """The first position with this many stones."""
    position = games.variant("expanding-nim").start(stones=stones, **settings)
    assert isinstance(position, NimPosition)
    return position


def after(position: NimPosition, move: str) -> NimPosition:
    played = position.play(move)
    assert isinstance(played, NimPosition)
    return played


@cache
def plies(position: Position) -> int:
    """By the rules alone: how long the match goes on, negative where the player to move loses."""
    if position.to_move is None:
        return 0
    ends = [plies(position.play(move)) for move in position.legal_moves()]
    wins = [1 - end for end in ends if end <= 0]
    return min(wins) if wins else -max(1 + end for end in ends)


def test_the_end_is_as_far_away_as_the_rules_say() -> None:
    for resets in (0, 1, 2, None):
        position = at(15, resets=resets)
        while position.to_move is not None:
            for move, bounds in expanding_nim_exact.values(position).items():
                left = plies(position.play(move))
                value = WIN - position.ply - 1 - abs(left)
                assert bounds == Bounds(*(value if left <= 0 else -value,) * 2), f"{move} in {position}"
            position = after(position, Random(position.ply).choice(position.legal_moves()))


def test_with_many_stones_only_the_result_is_told_and_it_is_that_of_the_table() -> None:
    position = at(1000)
    found = expanding_nim_exact.values(position)
    assert not any(bounds.exact for bounds in found.values())
    assert {move: bounds.result for move, bounds in found.items()} == {
        move: 1 if loses(after(position, move)) else -1 for move in position.legal_moves()
    }


def test_all_moves_of_a_position_are_looked_up_in_one_table() -> None:
    """Also after a take that no match gets to, which somebody may ask the server about: 600 moves, 300 heaps."""
    position = games.variant("expanding-nim").parse("1000 9/9 700 b300 c0 s1 9/9 p3")
    before = expanding_nim._table.cache_info().misses
    assert len(expanding_nim_exact.values(position)) == 602  # type: ignore[arg-type]  # it is one of Nim
    assert expanding_nim._table.cache_info().misses - before <= 1


def test_the_match_of_100_stones_takes_47_plies_with_best_play() -> None:
    found = expanding_nim_exact.values(at(100))
    assert [move for move, bounds in found.items() if bounds.result == 1] == ["3"]
    assert found["3"] == Bounds(WIN - 47, WIN - 47)
