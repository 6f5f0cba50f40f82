from __future__ import annotations

import pytest

import games
from arena.bots.failure.diagnosis import diagnose
from arena.protocols.hints import Evidence
from arena.protocols.nyu_nim.hints import had_no_reset


def test_a_reset_too_many_is_told_from_stones_too_many() -> None:
    spent = games.variant("expanding-nim").parse("100 4/4 50 b9 c0 s0 0/4 p20")
    assert had_no_reset(Evidence("nyu-nim", "illegal_move", move="3r", position=spent))
    assert not had_no_reset(Evidence("nyu-nim", "illegal_move", move="30r", position=spent))
    assert not had_no_reset(Evidence("nyu-nim", "illegal_move", move="30", position=spent))


@pytest.mark.parametrize("received", ["[3, 0]", "(3, 0)", "[3,1]", "[3 0]"])
def test_a_list_of_both_numbers_is_a_printed_value_and_no_square_of_santorini(received: str) -> None:
    card = diagnose(Evidence("nyu-nim", "bad_output", received=received))
    assert card is not None and card.code == "printed_value"
