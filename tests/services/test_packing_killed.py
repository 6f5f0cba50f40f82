"""A process that packs logs, and writes them as rows again, is killed at any moment: every log stays whole."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.kit.commands import script
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, environment, migrate

STORE = """
from tests.core.test_packing import with_logs
with_logs(*[f"m{number}" for number in range(30)])
"""
PACK = """
import os
from arena.core.packing import pack_next, unpack_all
from tests.core.test_packing import LATER
while True:
    after = 0
    while last := pack_next(after, LATER, most=4):
        after = last
        os.write(1, b"packed\\n")
    unpack_all()
    os.write(1, b"unpacked\\n")
"""


@pytest.mark.cases(1)
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
async def test_every_log_stays_whole(store: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    settings = dict[str, str]()
    if store == "postgres":
        postgres: Postgres = request.getfixturevalue("postgres")
        settings["DATABASE_URL"] = postgres.create("packing_killed")
    migrate(tmp_path, **settings)
    mine = {**environment(tmp_path), **settings}
    subprocess.run(script(STORE), cwd=ROOT, env=mine, check=True, timeout=DEADLINE_S)
    for lines in (5, 8):  # in the middle of packing, and while the last logs become rows again
        packing = await asyncio.create_subprocess_exec(*script(PACK), cwd=ROOT, env=mine, stdout=PIPE)
        assert packing.stdout is not None, "it is a pipe"
        try:
            async with asyncio.timeout(DEADLINE_S):
                assert all([await packing.stdout.readline() for _ in range(lines)])
        finally:
            packing.kill()
            await packing.wait()
        replay = [sys.executable, "manage.py", "replay"]
        done = subprocess.run(replay, cwd=ROOT, env=mine, capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.stdout == "30 matches, 210 moves: no differences\n", done.stderr
