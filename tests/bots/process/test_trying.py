"""Starting a program once, until it waits for input. Why each of many does not start: test_starting.py."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from arena.bots.process.sandbox import Sandbox, SandboxLevel
from arena.bots.process.trying import tried
from tests.bots.sandboxed import processes

NAME = f"tried-{os.getpid()}"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import sys\nsys.stdin.readline()\n", ""),
        ("import no_such_library\n", "it stopped with exit code 1 before it waited for input (ModuleNotFoundError: "),
    ],
)
def test_a_program_has_started_when_it_waits_for_input_and_nothing_of_it_is_left(source: str, why: str) -> None:
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot.py").write_text(source)
        launch = Sandbox(SandboxLevel.L0).wrap(["python3", "bot.py", NAME], folder)
        found = tried(launch, folder)
    assert found.startswith(why) and bool(found) == bool(why)
    assert processes(NAME) == []
