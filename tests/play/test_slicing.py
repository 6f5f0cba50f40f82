"""Slices of a running match: together they are its log without the ending."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.play import slicing
from arena.play.driver import Log, play
from arena.play.spec import BuiltinSeat, CommandSeat, Spec

SEATS = (BuiltinSeat("random", "dice", 1), BuiltinSeat("random", "others", 2))


def sliced(spec: Spec) -> tuple[list[dict[str, Any]], Log]:
    slices: list[dict[str, Any]] = []
    (log,) = play(spec, send_slice=slices.append)
    return slices, log


def test_a_match_that_is_over_at_once_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slicing, "EVERY_S", 3600.0)
    slices, log = sliced(Spec("expanding-nim", SEATS))
    assert slices == [] and log.state.phase == "ended"


def test_slices_follow_each_other_and_stop_before_the_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slicing, "EVERY_S", 0.0)
    (tmp_path / "left.py").write_text(
        "import sys\nfor line in sys.stdin:\n"
        '    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)\n'
    )
    left = CommandSeat("fiar", (sys.executable, "left.py"), "left", str(tmp_path))
    slices, log = sliced(Spec("connect-four-7x6", (left, SEATS[1])))
    rows = [row for each in slices for row in each["events"]]
    whole = log.to_data()["events"]
    assert len(slices) > 1 and rows == whole[: len(rows)] and whole[len(rows) :][-1][2] == "ended"
    assert [each["base"] for each in slices] == [each["events"][0][0] - 1 for each in slices]
    assert {each["match"] for each in slices} == {log.match} and len(rows) < len(whole)
