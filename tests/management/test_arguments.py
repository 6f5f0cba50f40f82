"""What a command loads: a server only where it serves or asks for its libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.kit.commands import ROOT, environment

COMMANDS = ROOT / "arena" / "management" / "commands"
# `serve` serves; `doctor` asks for the versions of the libraries that do.
LOAD_IT = {"__init__", "doctor", "serve"}


def test_commands_that_do_not_serve_load_no_server(tmp_path: Path) -> None:
    """Its libraries take half a second of computing, before every table that is printed."""
    names = sorted({path.stem for path in COMMANDS.glob("*.py")} - LOAD_IT)
    assert "tournament" in names
    program = "import django, sys; django.setup(); [__import__(name) for name in sys.argv[1:]]; print(*sys.modules)"
    words = [sys.executable, "-c", program, *(f"arena.management.commands.{name}" for name in names)]
    loaded = subprocess.check_output(words, cwd=ROOT, env=environment(tmp_path), text=True).split()
    assert "arena.host" in loaded
    assert {"arena.server.server", "daphne", "twisted"}.isdisjoint(loaded)
