"""`manage.py match` without its server: what it loads. What it plays and prints is told in test_match.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.deadline import DEADLINE_S
from tests.management.commands import ROOT, environment

# Plays the first column that is free.
ANSWERS = "for line in open(0): print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == '.'))"


@pytest.mark.parametrize("options", [[], ["--rounds", "2", "--concurrency", "2"]])
def test_nothing_is_loaded_that_a_match_of_two_programs_does_not_need(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(ANSWERS)
    seat = f"fiar:{sys.executable} bot.py"
    code = (
        "import sys\nfrom arena.management.matches import main\n"
        f"status = main(['connect-four-7x6', {seat!r}, {seat!r}, *{options!r}])\n"
        "print(sorted({'django', 'asyncio', 'channels', 'random'} & set(sys.modules)), status)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(tmp_path) | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert run.stdout.splitlines()[-1] == "[] 0", run.stderr
