from __future__ import annotations

import games
from arena.protocols.hints import Evidence
from arena.protocols.nyu_nim.hints import had_no_reset


def test_a_reset_too_many_is_told_from_stones_too_many() -> None:
    spent = games.variant("expanding-nim").parse("100 4/4 50 b9 c0 s0 0/4 p20")
    assert had_no_reset(Evidence("nyu-nim", "illegal_move", move="3r", position=spent))
    assert not had_no_reset(Evidence("nyu-nim", "illegal_move", move="30r", position=spent))
    assert not had_no_reset(Evidence("nyu-nim", "illegal_move", move="30", position=spent))
