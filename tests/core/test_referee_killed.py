"""A process that plays is killed: what it had acknowledged is in the log."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from arena.match.evolve import replay
from arena.match.state import LogEvent
from tests.kit.commands import script
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import migrate

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """For processes with a database of their own, in this folder; it is there and empty."""
    mine = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    mine |= {"ARENA_DATA": str(tmp_path), "SECRET_KEY": "only-for-tests", "DJANGO_SETTINGS_MODULE": "arena.settings"}
    migrate(tmp_path)
    return mine


async def killed_after(lines: int, environment: dict[str, str], journal: IO[str]) -> None:
    """Let a process play, keep what it acknowledges safe on disk, and kill it after this many lines."""
    command = script("import asyncio; from tests.core.playing import main; asyncio.run(main())")
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            for _ in range(lines):
                journal.write((await process.stdout.readline()).decode())
                journal.flush()
                os.fsync(journal.fileno())
    finally:
        process.kill()
        journal.write((await process.stdout.read()).decode())
        assert await process.wait() == -signal.SIGKILL, "it was killed, it did not end"


def stored_logs(database: Path) -> dict[str, list[LogEvent]]:
    """Every log of the file, read by nothing of ours."""
    columns = f"match_id, {', '.join(LogEvent._fields)}"
    logs: dict[str, list[LogEvent]] = {}
    with closing(sqlite3.connect(database)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for match, *row, data in file.execute(f"SELECT {columns} FROM arena_event ORDER BY match_id, seq"):
            logs.setdefault(match, []).append(LogEvent._make([*row, json.loads(data)]))
    return logs


@pytest.mark.service
async def test_nothing_acknowledged_is_lost_when_the_process_is_killed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    rng = random.Random(5)
    with open(tmp_path / "journal", "w+", encoding="ascii") as journal:
        for _ in range(5):
            await killed_after(rng.randint(20, 500), environment, journal)
        journal.seek(0)
        acknowledged = [line.split() for line in journal.read().splitlines()]
    logs = stored_logs(tmp_path / "arena.sqlite3")
    lost = [(match, seq) for match, seq in acknowledged if len(logs.get(match, ())) < int(seq)]
    assert lost == []
    assert len(acknowledged) >= 100
    for log in logs.values():
        assert [event.seq for event in log] == list(range(1, len(log) + 1))
        assert replay(log).seq == len(log)
