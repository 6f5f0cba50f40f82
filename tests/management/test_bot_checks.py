"""`manage.py check_bot`: what it loads. What it checks and prints is told in test_check_bot.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.kit.checking import GOOD
from tests.kit.commands import ROOT, environment, processes_of
from tests.kit.deadline import DEADLINE_S


def test_nothing_is_loaded_that_a_check_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(GOOD)
    code = (
        "import sys\nfrom arena.management.bot_checks import main\n"
        f"status = main(['--protocol', 'fiar', '--step', 'second_seat', '--', {sys.executable!r}, 'bot.py'])\n"
        "print(sorted({'django', 'asyncio', 'channels'} & set(sys.modules)), status)"
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
    assert processes_of(tmp_path) == []
