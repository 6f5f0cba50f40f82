from __future__ import annotations

import games
from arena.protocols.drop_in import End, Output, rows, spaced

START = games.variant("connect-four-7x6").start()


def test_a_board_is_shown_from_the_top() -> None:
    board = rows(START.play("7"), "-XO")
    assert len(board) == 6 and board[0] == "-------" and board[-1] == "------X"
    assert spaced("-X") == "- X "


def test_what_an_output_does_not_mind_is_not_printed() -> None:
    output = Output(verbose=True)
    end = End(START, None, "normal", None, {})
    assert output.asks(0) == output.moved(0, "4", START, "\n") == output.sent(START) == output.result(end) == []
