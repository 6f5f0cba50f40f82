"""`manage.py sandbox_check`: what it prints, and whether it is content."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from arena.bots.process.probes import PROBES
from arena.bots.process.sandbox import best_level
from arena.management.commands.sandbox_check import Command

pytestmark = pytest.mark.service


def test_it_names_the_level_and_every_attack() -> None:
    said = StringIO()
    call_command(Command(), stdout=said)  # imported before the run is told what others have found out
    for probe in PROBES:
        assert f"held back  {probe.name}: {probe.tries}" in said.getvalue()
    assert f"This machine supports level {best_level()}, good for anyone's bots." in said.getvalue()


def test_below_the_minimum_it_says_what_to_install_and_fails(tmp_path: Path) -> None:
    """On a machine without bubblewrap."""
    for name in ("env", "setpriv", "sh", "sleep"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    environment = {**os.environ, "PATH": str(tmp_path), "ARENA_SANDBOX_MIN": "2"}
    root = Path(__file__).parents[2]
    command = [sys.executable, "manage.py", "sandbox_check"]
    ended = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "Not given: install the package bubblewrap: it has no program: bwrap" in ended.stdout
    assert "apt-get install bubblewrap" in ended.stderr
    assert "ARENA_SANDBOX_MIN asks for 2" in ended.stderr


@pytest.mark.parametrize("text", ["4", "two"])
def test_a_minimum_that_does_not_exist_stops_the_start(text: str) -> None:
    ended = subprocess.run(
        [sys.executable, "manage.py", "sandbox_check"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "ARENA_SANDBOX_MIN": text},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1
    assert f"ARENA_SANDBOX_MIN={text}: expected one of 0, 1, 2, 3." in ended.stderr
