"""The pictures in docs/ are those that the program makes."""

from __future__ import annotations

import pytest

from tools.pictures import STATES, USUAL, main


def test_there_is_one_of_each_state_and_no_other() -> None:
    assert {path.stem for path in USUAL.iterdir()} == {state.name for state in STATES} and len(STATES) == 11
    assert all(path.stat().st_size < 150_000 for path in USUAL.iterdir())


@pytest.mark.parametrize("arguments", [["--light"], ["folder", "--everything"], ["one", "two"], ["--all"], ["--help"]])
def test_what_it_does_not_know_makes_no_picture(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = "".join(capsys.readouterr())
    assert said.startswith("usage: python -m tools.pictures")
    assert ended.value.code == (0 if arguments == ["--help"] else 2)
