from __future__ import annotations

import pytest

import games
from arena.web.drawing import artist


def test_an_unknown_game_is_drawn_by_the_generic_artist() -> None:
    assert artist("a-game-of-tomorrow").GAME == ""
    assert artist("connect-four").GAME == "connect-four"


@pytest.mark.parametrize("draws", ["connect-four", "santorini", ""])
def test_a_small_board_tells_seats_apart_by_their_mark(draws: str) -> None:
    slug, moves = {"santorini": ("santorini-6x6", "b2 e5 c2 e4")}.get(draws, ("connect-four-8x8", "4 4 5 3"))
    position = games.variant(slug).start()
    for move in moves.split():
        position = position.play(move)
    picture = artist(draws).mini(position)
    small = "d" if artist(draws) is artist("") else "t"  # a board without an artist has the discs of large ones
    assert [picture.count(f'href="#{small}{seat}"') for seat in (0, 1)] == [2, 2]
