"""Which Python the environment is made of."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.kit.deadline import DEADLINE_S
from tests.kit.source import ROOT

SLOW, FAST = "'--prefix=/opt' '--enable-shared'", "'--prefix=/opt' '--enable-optimizations'"


def a_python(path: Path, version: str, built: str = SLOW) -> Path:
    """A program that answers as a Python that was configured like this; "" for a version that cannot make any."""
    path.write_text(
        "#!/bin/sh\n"
        f'case "$2" in *ensurepip*) [ -n "{version}" ] && echo "{version}" || exit 1 ;; *) echo "{built}" ;; esac\n'
    )
    path.chmod(0o755)
    return path


def taken(folder: Path, system: Path) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(ROOT / "tools/python.sh"), str(system)]
    environment = os.environ | {"PATH": f"{folder}:/usr/bin:/bin"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=True)


def test_the_systems_own_is_taken_where_the_first_one_is_slow(tmp_path: Path) -> None:
    own, system = a_python(tmp_path / "python3", "3 11"), a_python(tmp_path / "system", "3 11")
    run = taken(tmp_path, system)
    assert run.stdout == f"{system}\n"
    assert f"{own} was built without optimizations" in run.stderr and "PYTHON=python3" in run.stderr


@pytest.mark.parametrize(
    ("built", "systems"),
    [(FAST, "3 11"), (SLOW, "3 13"), (SLOW, "")],
    ids=["optimized", "another version", "without pip"],
)
def test_the_first_one_is_taken_without_a_word(built: str, systems: str, tmp_path: Path) -> None:
    a_python(tmp_path / "python3", "3 11", built)
    run = taken(tmp_path, a_python(tmp_path / "system", systems))
    assert (run.stdout, run.stderr) == ("python3\n", "")


def test_the_systems_own_is_the_first_one(tmp_path: Path) -> None:
    system = a_python(tmp_path / "system", "3 11")
    (tmp_path / "python3").symlink_to(system)
    run = taken(tmp_path, system)
    assert (run.stdout, run.stderr) == ("python3\n", "")
