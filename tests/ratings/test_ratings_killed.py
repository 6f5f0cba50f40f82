"""A process that plays rated matches is killed in the middle: every counted match changed both players, once."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.test_referee_killed import ROOT, environment
from tests.kit.commands import script
from tests.kit.deadline import DEADLINE_S

__all__ = ["environment"]


async def killed_after(endings: int, environment: dict[str, str]) -> None:
    """Let a process end this many matches, and kill it while the next are being stored."""
    command = script("import asyncio; from tests.ratings.playing_rated import main; asyncio.run(main())")
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            for _ in range(endings):
                assert await process.stdout.readline()
    finally:
        process.kill()
        assert await process.wait() == -signal.SIGKILL, "it was killed, it did not end"


@pytest.mark.service
async def test_ratings_are_those_of_the_logs_however_often_it_is_killed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    rng = random.Random(7)
    for _ in range(3):
        await killed_after(rng.randint(10, 60), environment)
    command = [sys.executable, "manage.py", "replay"]
    replayed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=DEADLINE_S)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert "no differences" in replayed.stdout
