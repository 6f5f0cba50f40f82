"""The lines for single events; tests/play/test_runner.py has whole games."""

from __future__ import annotations

from typing import Any

import pytest

import games
from arena.protocols.drop_in import End
from arena.protocols.gamestate.runner import GameStateOutput

START = games.variant("connect-four-8x8").start()


@pytest.mark.parametrize(
    ("termination", "data", "read", "reply"),
    [
        ("illegal_move", {"move": "9"}, "", "8\n"),
        ("bad_output", {"received": "x"}, "x\n", "x\n"),
        ("crash", {"received": "lost"}, "", ""),
        ("crash", {}, "half a li", "half a li"),
    ],
)
def test_who_broke_a_rule_forfeits(termination: str, data: dict[str, Any], read: str, reply: str) -> None:
    assert GameStateOutput(False).result(End(START, 0, termination, 1, data, read)) == [
        f"got reply from player1: {reply}",
        "player1 moved illegally! forfeits!",
        "OUTCOME: 0",
    ]


def test_a_move_shows_where_it_went_and_the_board_that_is_broadcast() -> None:
    lines = GameStateOutput(False).moved(0, "8", START.play("8"), "\n")
    assert lines[:2] == ["got reply from player0: 7\n", "player0 moves to (7,7)\n"]
    assert lines[-1] == f"broadcasting: GAMESTATE: {'-' * 63}X"
