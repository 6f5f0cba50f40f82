"""What is red is said at the end, wherever it was, and nothing is left running."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.suite import Step, is_compiled, run

GREEN, RED = ("sh", "-c", "echo fine"), ("sh", "-c", "echo broken; exit 3")


def code(script: str) -> tuple[str, ...]:
    return (sys.executable, "-c", script)


def test_all_green_is_one_line_with_the_times(capfd: pytest.CaptureFixture[str]) -> None:
    steps = (Step("programs", GREEN, needed=True), Step("tests", GREEN))
    assert run(Step("checks", GREEN), steps, began=time.time()) == 0
    said = capfd.readouterr().out.splitlines()
    assert said[:-1] == ["fine"] * 3
    assert said[-1].startswith("make test took ")
    names = [part.rpartition(" ")[0] for part in said[-1].partition(": ")[2].split(", ")]
    assert names == ["environment", "programs", "tests", "waiting for the checks"]


def test_a_red_check_and_a_red_test_are_both_said_last(capfd: pytest.CaptureFixture[str]) -> None:
    steps = (Step("tests", RED), Step("more tests", GREEN))
    assert run(Step("checks", RED), steps, began=time.time()) == 1
    said = capfd.readouterr().out.splitlines()
    assert said[:-1] == ["broken", "fine", "broken", "RED: tests, checks"]
    assert said[-1].startswith("make test took ")


def test_bytecode_is_made_where_a_module_of_tests_has_none(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for path in (tmp_path / "test_it.py", tmp_path / "inner/test_it_too.py"):
        path.write_text("def test_it():\n    assert True\n")
    command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:django", "--collect-only"]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([*command, "."], cwd=tmp_path, env=environ, check=True)
    assert is_compiled(tmp_path)
    for bytecode in (tmp_path / "inner").rglob("*.pyc"):
        bytecode.unlink()
    assert not is_compiled(tmp_path)


def test_a_red_check_is_enough(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(Step("checks", RED), (Step("tests", GREEN),), began=time.time()) == 1
    assert "RED: checks" in capfd.readouterr().out


def test_without_what_is_needed_nothing_goes_on_and_the_checks_end(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    running = tmp_path / "running"
    os.mkfifo(running)
    waits = f"open({str(running)!r}, 'w').write(str(__import__('os').getpid())); __import__('signal').pause()"
    missing = ("sh", "-c", f"cat {running}; exit 1")
    steps = (Step("programs", missing, needed=True), Step("tests", GREEN))
    assert run(Step("checks", code(waits)), steps, began=time.time()) == 1
    pid = capfd.readouterr().out
    assert subprocess.run(["kill", "-0", pid], capture_output=True).returncode != 0
