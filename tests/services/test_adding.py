"""docs/adding.md is followed to the letter, in a copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, SHARED

DOCUMENT = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
FILES = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.+?)```", DOCUMENT, re.DOTALL)
LINES = re.findall(r"<!-- line: (\S+) (after|before) (\S+) -->\n```\w+\n(.+?)```", DOCUMENT, re.DOTALL)
COMMANDS = re.findall(r"```sh\n(.+?)```", DOCUMENT, re.DOTALL)
PROMISED = ("Finished match 1", "1 passed", "17 of 17 steps passed", "Finished match 1", "1 passed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What a contributor has in front of them, with an environment that is set up."""
    copy = tmp_path / "project"
    for folder in ("arena", "games", "static", "templates", "locale", "tests", "docs"):
        # With its bytecode: to compile all of it again takes longer than the steps. Others may be writing theirs.
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("manage.py", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    (copy / ".venv" / "bin").mkdir(parents=True)
    for name in ("python", "pytest"):
        program = copy / ".venv" / "bin" / name
        words = "" if name == "python" else " -m pytest -p no:cacheprovider"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return copy


def test_each_step_does_what_it_says(project: Path) -> None:
    for name, text in FILES:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, where, mark, text in LINES:
        lines = (project / name).read_text(encoding="utf-8").splitlines(keepends=True)
        at = next(n for n, line in enumerate(lines) if line.startswith(mark))
        lines.insert(at + 1 if where == "after" else at, text)
        (project / name).write_text("".join(lines), encoding="utf-8")
    tables = {SHARED: os.environ[SHARED]}  # migrations take longer than all of the steps
    environment = {"PATH": os.environ["PATH"], "ARENA_DATA": str(project.parent), **tables}
    assert len(COMMANDS) == len(PROMISED)
    for command, promised in zip(COMMANDS, PROMISED, strict=True):
        done = subprocess.run(
            ["sh", "-euc", command],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            timeout=3 * DEADLINE_S,
        )
        assert done.returncode == 0 and promised in done.stdout, f"{command}\n{done.stdout}{done.stderr}"


def test_its_examples_are_those_of_the_tests() -> None:
    plugin = ROOT / "tests" / "data" / "plugin"
    written = dict(FILES)
    for name in ("games/tic_tac_toe.py", "arena/protocols/plain_four/adapter.py"):
        assert written[name] == (plugin / name).read_text(encoding="utf-8")
