from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from tests.kit.commands import ROOT
from tests.kit.deadline import DEADLINE_S
from tools.soak.__main__ import main, names


def test_an_unknown_program_is_refused_with_the_names_of_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quake"]) == 2
    said = capsys.readouterr().err
    assert "'quake'" in said and all(name in said for name in names())


def test_every_program_says_what_it_does_and_can_be_started() -> None:
    for name in names():
        program = importlib.import_module(f"tools.soak.{name}")
        assert program.__doc__ and callable(program.main), name


def test_none_touches_the_database_of_the_arena_that_this_machine_serves() -> None:
    """As where DATABASE_URL is exported: an event of forty bots would be played there."""
    theirs = os.environ | {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/theirs"}
    forged = [sys.executable, "-m", "tools.soak", "forged", "1"]
    run = subprocess.run(forged, cwd=ROOT, env=theirs, capture_output=True, text=True, timeout=DEADLINE_S)
    assert run.returncode == 0 and "1 forged answers refused" in run.stdout, run.stdout + run.stderr
