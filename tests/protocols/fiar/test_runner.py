"""The lines for single events; tests/play/test_runner.py has whole games."""

from __future__ import annotations

import games
from arena.protocols.drop_in import End
from arena.protocols.fiar.runner import FiarOutput

START = games.variant("connect-four-7x6").start()


def test_a_draw_shows_the_full_board_twice() -> None:
    lines = FiarOutput(verbose=True).result(End(START, None, "normal", None, {}))
    assert len(lines) == 15 and lines[:7] == lines[7:14] and lines[-1] == "Draw."


def test_without_v_there_are_no_boards() -> None:
    output = FiarOutput(verbose=False)
    assert output.sent(START) == []
    assert output.result(End(START, 1, "normal", None, {})) == ["Player O wins."]
