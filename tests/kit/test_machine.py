"""What one process of a run has found out about the machine, the others are told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.process import guests, sandbox
from arena.bots.process.sandbox import SandboxLevel, Trial, best_level
from arena.work.workers import about
from tests.kit.machine import find_out_once


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
