"""The pictures in docs/ are those that the program makes."""

from __future__ import annotations

from tools.pictures import STATES, USUAL


def test_there_is_one_of_each_state_and_no_other() -> None:
    assert {path.stem for path in USUAL.iterdir()} == {state.name for state in STATES} and len(STATES) == 11
    assert all(path.stat().st_size < 150_000 for path in USUAL.iterdir())
