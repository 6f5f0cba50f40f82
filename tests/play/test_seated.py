"""A bot that breaks its protocol before it has a match. How bots play and fail in one is told in test_driver.py."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.play.driver import play
from arena.play.spec import BuiltinSeat, CommandSeat, Spec


def test_who_floods_before_its_match_loses_it_by_that(tmp_path: Path) -> None:
    code = "import os, time\nos.write(1, b'\\n' * 1000)\ntime.sleep(3600)"
    seat = CommandSeat("native", (sys.executable, "-c", code))
    [log] = play(Spec("connect-four-7x6", (BuiltinSeat("random"), seat), cwd=str(tmp_path)))
    assert (log.state.termination, log.state.winner) == ("bad_output", 0)
    assert "more than 200 lines at once" in log.state.reason
