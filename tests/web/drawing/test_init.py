from __future__ import annotations

from arena.web.drawing import artist


def test_an_unknown_game_is_drawn_by_the_generic_artist() -> None:
    assert artist("a-game-of-tomorrow").GAME == ""
    assert artist("connect-four").GAME == "connect-four"
