"""Why a bot failed, said to who played a match without a server."""

from __future__ import annotations

import sys

from arena.management.failing import lines_of
from arena.play.driver import Log, play
from arena.play.spec import BuiltinSeat, CommandSeat, Spec


def played(code: str) -> Log:
    [log] = play(Spec("connect-four-7x6", (CommandSeat("fiar", (sys.executable, "-c", code)), BuiltinSeat("random"))))
    return log


def test_the_card_is_printed_line_by_line() -> None:
    said = list(lines_of(played("print('hello')")))
    assert said[0] == "A debug print was taken as the answer [debug_output]"
    assert "received: hello" in said and said[-1].startswith("advice: ")


def test_nobody_is_blamed_for_a_match_that_ended_by_its_rules() -> None:
    loses = "for line in open(0): print(line.split()[1][:7].index('.') + 1, flush=True)"
    assert list(lines_of(played(loses))) == []
