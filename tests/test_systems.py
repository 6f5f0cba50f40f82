"""A system that Arena does not run on is named, with what to do there, before anything is installed or started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parents[1]
COMMAND = "import sys; sys.platform = 'darwin'; from arena.management.console import main; main()"


def test_make_says_so(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "uname").write_text("#!/bin/sh\necho Darwin\n")
    (tmp_path / "uname").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    made = subprocess.run(
        ["make", "run"], cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, timeout=DEADLINE_S
    )
    said = "Arena runs on Linux, and this is Darwin. Docker runs it elsewhere: docker compose up\n"
    assert (made.returncode, made.stdout) == (2, said)
    assert not (tmp_path / ".venv").exists()


def test_a_command_says_so() -> None:
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, "serve"], cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S
    )
    said = "arena: runs on Linux, and this is darwin. Docker runs it elsewhere: docker compose up\n"
    assert (run.returncode, run.stdout, run.stderr) == (1, "", said)
