"""Two servers and three commands that store a match, all started at once: one is the host, and everything is stored."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from pathlib import Path

import pytest

from tests.kit.commands import script
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, environment, migrate

SERVE = ("serve", "--port", "0", "--no-doors")
MATCH = ("match", "expanding-nim", "builtin:beginner", "builtin:beginner", "--save")
STORED = """
import json
from arena.models import Event, Match
events = list(Event.objects.order_by("pk").values_list("match_id", "epoch"))
print(json.dumps([events, list(Match.objects.values_list("termination", flat=True))]))
"""


@pytest.mark.cases(1)
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
async def test_one_is_the_host_and_everything_is_stored(
    store: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    settings = dict[str, str]()
    if store == "postgres":
        postgres: Postgres = request.getfixturevalue("postgres")
        settings["DATABASE_URL"] = postgres.create("started_at_once")
    migrate(tmp_path, **settings)
    mine = {**environment(tmp_path), **settings}
    servers = [await started(mine, *SERVE) for _ in range(2)]
    commands = [await started(mine, *MATCH) for _ in range(3)]
    try:
        async with asyncio.timeout(DEADLINE_S):
            said = [(await command.communicate())[0].decode() for command in commands]
            assert [command.returncode for command in commands] == [0, 0, 0], said
            heard = [await heard_first(server) for server in servers]
            host, other = servers if heard[0] == "Ready" else servers[::-1]
            assert heard.count("Ready") == 1 and any("another server (" in words for words in heard), heard
            assert await other.wait() == 1
            host.terminate()
            words, _ = await host.communicate()
            assert (host.returncode, b"Traceback" in words) == (0, False), words
    finally:
        for process in (*servers, *commands):
            if process.returncode is None:
                process.kill()
                await process.wait()
    events, endings = json.loads(subprocess.check_output(script(STORED), cwd=ROOT, env=mine, text=True))
    assert endings == ["normal"] * 3
    numbers = [epoch for _, epoch in events]
    assert numbers == sorted(numbers) and len({tuple(event) for event in events}) == 3


async def started(mine: dict[str, str], *words: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "manage.py", *words, cwd=ROOT, env=mine, stdout=PIPE, stderr=STDOUT
    )


async def heard_first(server: Process) -> str:
    """`Ready`, or why there is no second server."""
    assert server.stdout is not None, "it is a pipe"
    while line := (await server.stdout.readline()).decode():
        if line == "Ready\n" or "another server (" in line:
            return line.strip()
    return ""
