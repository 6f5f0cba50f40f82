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
    loaded = _loaded(tmp_path, *(f"arena.management.commands.{name}" for name in names))
    assert "arena.host" in loaded
    assert {"arena.server.server", "daphne", "twisted"}.isdisjoint(loaded)


def test_a_server_loads_no_tls_of_twisted(tmp_path: Path) -> None:
    loaded = _loaded(tmp_path, "arena.management.commands.serve")
    assert "arena.server.server" in loaded
    assert {"OpenSSL.SSL", "cryptography.x509", "service_identity", "twisted.protocols.tls"}.isdisjoint(loaded)


def _loaded(data: Path, *names: str) -> list[str]:
    """All modules that a process has which has loaded these."""
    program = "import django, sys; django.setup(); [__import__(name) for name in sys.argv[1:]]; print(*sys.modules)"
    words = [sys.executable, "-c", program, *names]
    return subprocess.check_output(words, cwd=ROOT, env=environment(data), text=True).split()
