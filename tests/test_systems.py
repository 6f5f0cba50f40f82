"""A system or a Python that Arena does not run on is named, with what to do there, before anything is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parents[1]
COMMAND = "import sys; sys.platform = 'darwin'; from arena.management.console import main; main()"


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`make` in the folder, which also holds the first programs that are found."""
    shutil.copy(ROOT / "Makefile", folder)
    environ = {"PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(["make", *words], cwd=folder, env=environ, capture_output=True, text=True, timeout=DEADLINE_S)


def test_make_says_so(tmp_path: Path) -> None:
    program(tmp_path / "uname", "echo Darwin")
    made = make(tmp_path, "run")
    said = "Arena runs on Linux, and this is Darwin. Docker runs it elsewhere: docker compose up\n"
    assert (made.returncode, made.stdout) == (2, said)
    assert not (tmp_path / ".venv").exists()


def test_a_command_says_so() -> None:
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, "serve"], cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S
    )
    said = "arena: runs on Linux, and this is darwin. Docker runs it elsewhere: docker compose up\n"
    assert (run.returncode, run.stdout, run.stderr) == (1, "", said)


@pytest.mark.parametrize("minor", [10, 11, 14, 15])
def test_make_names_the_pythons_that_do(minor: int, tmp_path: Path) -> None:
    """Of the others it makes no environment, and installs nothing for them: no tools/need.sh is here to be called."""
    pretends = f"import sys; sys.version_info = (3, {minor}, 0)"
    program(tmp_path / "python", f'[ "$1" = -c ] && exec {sys.executable} -c "{pretends}\n$2"\necho "does $*"')
    made = make(tmp_path, "run", "PYTHON=python")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    is_taken = f"3.{minor}.0" in SpecifierSet(project["requires-python"])
    assert ("does -m venv --clear .venv" in made.stdout) == is_taken
    said = f"Arena runs on Python 3.11 to 3.14, and python is 3.{minor}. Install one of them, and name it: make run"
    assert (said in made.stderr) == (not is_taken)
    assert "need.sh" not in made.stderr


def test_an_environment_whose_python_was_replaced_is_made_again(tmp_path: Path) -> None:
    """As by an upgrade of the system: the next Python looks for its libraries in a folder with another name."""
    program(tmp_path / "whole", 'case "$*" in *"import pip"*) echo whole ;; *) echo "does $*" ;; esac')
    program(tmp_path / "python", '[ "$1" = -c ] || { rm -r .venv; mkdir -p .venv/bin; cp whole .venv/bin/python; }')
    program(tmp_path / "tools/run.sh", "echo served")
    (tmp_path / "requirements.lock").touch()
    environment, upgraded = (
        tmp_path / ".venv/bin/python",
        ["it is made again", "python -m venv", "pip install", "served"],
    )

    def makes() -> list[str]:
        lines = make(tmp_path, "run", "PYTHON=python").stdout.splitlines()
        return [word for word in upgraded if any(word in line for line in lines)]

    assert makes() == upgraded[1:]
    assert makes() == ["served"]
    program(environment, "echo 'No module named pip' >&2; exit 1")
    assert makes() == upgraded
    environment.unlink()
    environment.symlink_to("/usr/bin/python3.gone")
    assert makes() == upgraded
    assert makes() == ["served"]


# Stands in for Python's own, which takes four seconds.
ENSUREPIP = """import pathlib, sysconfig
if __name__ == "__main__":
    pathlib.Path(sysconfig.get_path("purelib"), "pip.py").touch()
"""


def test_an_environment_that_only_lacks_pip_gets_it_and_stays(tmp_path: Path) -> None:
    """As `uv venv` makes them, maybe of a Python that the system does not have."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=tmp_path, check=True)
    (tmp_path / "ensurepip.py").write_text(ENSUREPIP)
    own = tmp_path / ".venv/own"
    own.touch()
    program(tmp_path / "tools/run.sh", "echo served")
    (tmp_path / "requirements.lock").touch()
    made = make(tmp_path, "run", "PYTHON=no-such-python")
    first, *_, last = made.stdout.splitlines()
    assert first == "The environment in .venv has no pip, like those of uv: it gets one.", made.stderr
    assert last == "served" and own.exists()
    assert make(tmp_path, "run", "PYTHON=no-such-python").stdout == "served\n"
