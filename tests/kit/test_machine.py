"""What one process of a run has found out about the machine, the others are told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.process import guests, sandbox
from arena.bots.process.sandbox import SandboxLevel, Trial, best_level
from arena.work.workers import about
from tests.kit.deadline import DEADLINE_S
from tests.kit.machine import find_out_once
from tests.kit.server import ROOT


@pytest.mark.parametrize("level", [SandboxLevel.L0, SandboxLevel.L2])
def test_one_attacks_and_the_others_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: SandboxLevel
) -> None:
    attacked: list[int] = []

    def attack() -> tuple[Trial, ...]:
        attacked.append(level)
        return (
            Trial(SandboxLevel.L3, (), "a file was read"),
            Trial(level or SandboxLevel.L1, (), "" if level else "no"),
        )

    monkeypatch.setenv(guests.LEVEL, "")
    for heard in ("", str(int(level))):
        monkeypatch.setattr(about, "SPEED_S", about.SPEED_S)
        monkeypatch.setattr(sandbox, "self_test", attack)
        find_out_once(tmp_path)
        assert best_level() == best_level() == level
        assert os.environ[guests.LEVEL] == heard
    assert attacked == [level]


@pytest.mark.long
def test_another_program_is_told(tmp_path: Path) -> None:
    (tmp_path / "sandbox").write_text("1")
    (tmp_path / "program.py").write_text(
        "import sys\nfrom arena.bots.process.sandbox import best_level\nprint(best_level(), *sys.argv[1:])"
    )
    command = [sys.executable, "-m", "tests.kit.machine", str(tmp_path), str(tmp_path / "program.py"), "--fast"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S)
    assert (told.stdout, told.stderr) == ("1 --fast\n", "")
