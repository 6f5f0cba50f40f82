"""A protocol that is one folder with one file on the Python path: at its door, in the wizard, as a child process,
in `match` and `check_bot`, and on its page.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, Server, environment, migrate
from tests.kit.visiting import Visitor

PLUGIN = ROOT / "tests" / "data" / "plugin"
ADDRESS = re.compile(r"port\s+(\d+)")
BOT = """
import sys
for line in sys.stdin:
    places = line.split()[1]
    print(next(column + 1 for column in (3, 2, 4, 1, 5, 0, 6) if places[column] == "."), flush=True)
"""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    migrate(tmp_path)
    running = Server(tmp_path, PLUGIN)
    await running.start()
    yield running
    await running.stop()
    assert "Traceback" not in running.said


async def plays(port: int) -> list[str]:
    """What a bot at this port was asked until its connection ended: it takes the first column with a free place."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = []
    async with asyncio.timeout(DEADLINE_S):
        while line := (await reader.readline()).decode():
            asked.append(line)
            writer.write(b"%d\n" % (line.split()[1].index(".") + 1))
    writer.close()
    return asked


async def test_it_has_its_page_its_door_and_its_place_in_the_wizard(server: Server) -> None:
    visitor = Visitor(server.port)
    page = await visitor.get("/protocols/plain-four/")
    assert page.status == 200 and "Plain four" in page.text and str(server.doors["plain-four"]) in page.text
    first, second = await asyncio.gather(*(plays(server.doors["plain-four"]) for _ in range(2)))
    assert "x ..........................................\n" in {first[0], second[0]}
    await visitor.get("/bots/connect/")
    made = await visitor.post("/bots/connect/", variant="connect-four-7x6", protocol="plain-four")
    assert made.status == 302, made.text
    shown = ADDRESS.search((await visitor.get(made.headers["Location"])).text)
    assert shown is not None
    assert await plays(int(shown[1])), "the built-in player takes the other seat"
    matches = json.loads((await visitor.get("/api/matches/?state=ended")).text)["matches"]
    assert {match["termination"] for match in matches} == {"normal"}
    assert {seat["protocol"] for match in matches for seat in match["seats"]} >= {"plain-four"}


def test_commands_play_it_and_check_it(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    bot = f"{sys.executable} {tmp_path / 'bot.py'}"
    match = ("match", "connect-four-7x6", f"plain-four:{bot}", "builtin:random", "--seed", "1")
    for arguments in (match, ("check_bot", "--protocol", "plain-four", "--", *bot.split())):
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment(tmp_path, PLUGIN),
            capture_output=True, text=True, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Finished match 1" in done.stdout or "17 of 17 steps passed" in done.stdout
