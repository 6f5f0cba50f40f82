from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tools import soak
from tools.soak.__main__ import main, names


def test_an_unknown_program_is_refused_with_the_names_of_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quake"]) == 2
    said = capsys.readouterr().err
    assert "'quake'" in said and all(name in said for name in names())


def test_every_program_says_what_it_does_and_can_be_started() -> None:
    for name in names():
        program = importlib.import_module(f"tools.soak.{name}")
        assert program.__doc__ and callable(program.main), name


TOLD = """
import os

def main(words):
    print(*(os.environ.get(word) for word in words))
    return 0
"""


def test_none_touches_the_database_of_the_arena_that_this_machine_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where DATABASE_URL is exported: an event of forty bots would be played there."""
    (tmp_path / "told.py").write_text(TOLD)
    monkeypatch.setattr(soak, "__path__", [str(tmp_path)])
    monkeypatch.setenv("DATABASE_URL", "postgres://nobody@127.0.0.1:1/theirs")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert main(["told", "DATABASE_URL", "REDIS_URL"]) == 0
    assert "\nNone None\n" in capsys.readouterr().out
