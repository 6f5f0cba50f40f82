from __future__ import annotations

import importlib

import pytest

from tools.soak.__main__ import main, names


def test_an_unknown_program_is_refused_with_the_names_of_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quake"]) == 2
    said = capsys.readouterr().err
    assert "'quake'" in said and all(name in said for name in names())


def test_every_program_says_what_it_does_and_can_be_started() -> None:
    for name in names():
        program = importlib.import_module(f"tools.soak.{name}")
        assert program.__doc__ and callable(program.main), name
