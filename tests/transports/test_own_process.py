"""Processes of ours: what they can import, and when they end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.transports.own_process import command, end_with
from tests.kit.deadline import DEADLINE_S

HERE = "tests.transports.test_own_process"


def main() -> None:
    """Ends with its parent, if it is told who that is; says who it is, and what it was told."""
    if len(sys.argv) > 1:
        end_with(int(sys.argv[1]))
    print(os.getpid(), *sys.argv[2:], flush=True)
    sys.stdin.read()


def parent() -> None:
    """Starts `main`, and never ends by itself."""
    subprocess.run([*command(HERE), str(os.getpid()), "one", "two"])


def parent_of_another() -> None:
    """The same, without telling it who has started it."""
    subprocess.run(command(HERE, os.getpid()))


def test_it_imports_what_its_parent_would_wherever_it_runs_and_is_told_its_arguments(tmp_path: Path) -> None:
    told = [*command(HERE), str(os.getpid()), "one", "two words"]
    done = subprocess.run(told, cwd=tmp_path, input="", capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.stdout.split(" ", 1)[1] == "one two words\n", done.stderr


@pytest.mark.parametrize("parent", ["parent", "parent_of_another"])
def test_it_ends_when_its_parent_is_killed(parent: str) -> None:
    start = [sys.executable, "-c", f"import {HERE} as here; here.{parent}()"]
    with subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None, "it is a pipe"
        child = int(running.stdout.readline().split()[0])
        assert Path(f"/proc/{child}").exists()
        running.kill()
        assert running.stdout.read() == ""  # the end of the last one that could write


def test_it_does_not_begin_without_its_parent() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait(DEADLINE_S)
    done = subprocess.run([*command(HERE), str(gone.pid)], input="", capture_output=True, timeout=DEADLINE_S)
    assert (done.returncode, done.stdout) == (1, b"")
