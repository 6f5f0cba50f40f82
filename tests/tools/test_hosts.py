"""A sample of `make soak ARGS=hosts`: the host is killed while a port of the one that would take over is taken."""

from __future__ import annotations

import inspect

import pytest

from tools.soak.hosts import look, soak
from tools.soak.hosts import main as hosts

pytestmark = pytest.mark.service


async def test_nothing_told_is_lost_and_one_referees(capsys: pytest.CaptureFixture[str]) -> None:
    assert await soak(faults=1, seconds=300, seed=9, only="taken_port") == 0
    said = capsys.readouterr().out
    assert "moves told and not stored: 0" in said and "taken_port 1" in said


def test_a_fault_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        hosts(["--only", "earthquake"])
    assert "taken_port" in capsys.readouterr().err
    assert inspect.iscoroutinefunction(soak) and callable(look)
