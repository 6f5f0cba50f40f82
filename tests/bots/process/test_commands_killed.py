"""`kill -9` of a server that runs a bot: nothing of the bot is left."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.bots.sandboxed import processes, until_nobody
from tests.kit.clients import Droidcon
from tests.kit.commands import ROOT, environment
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import migrate

pytestmark = pytest.mark.service

# It starts another one of itself, and neither answers.
BOT = """
import os, sys, time
os.fork()
time.sleep(600)
"""
ROWS = """
from arena.models import Bot, Place, Player, Room
player = Player.objects.create(kind="bot", name="gravity", slug="gravity")
Bot.objects.create(player=player, variant="connect-four-7x6", protocol="fiar", family="gravity",
                   command=["python3", "bot.py", "{marker}"])
room = Room.objects.create(code="lab", shown_code="lab", variant="connect-four-7x6", clock="5m")
Place.objects.create(room=room, side=1, kind="command", player=player)
"""


def settings(data: Path) -> dict[str, str]:
    return {**environment(data), "ARENA_SANDBOX_MIN": "0", "SECRET_KEY": "only-for-tests"}


async def manage(data: Path, *words: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(ROOT / "manage.py"), *words, cwd=data, env=settings(data)
    )
    async with asyncio.timeout(DEADLINE_S):
        assert await process.wait() == 0


@asynccontextmanager
async def serving(data: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A server, and the port of its droidcon door."""
    doors = ["gamestate", "fiar", "nyu-nim", "droidcon", "santorini-json", "native"]
    words = [word for slug in doors for word in ("--door", f"{slug}=0")]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0", *words),
        cwd=data,
        env=settings(data),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    port = 0
    try:
        async with asyncio.timeout(DEADLINE_S):
            while (line := (await process.stdout.readline()).decode()) != "Ready\n":
                assert line, "the server did not start"
                if found := re.match(r"Bots\s+droidcon on \S+:(\d+)", line):
                    port = int(found[1])
        yield process, port
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_a_killed_server_leaves_nothing_of_the_bots_it_ran() -> None:
    marker = f"arena-killed-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="arena-data-") as name:
        data = Path(name)
        data.chmod(0o755)
        (data / "bots" / "gravity").mkdir(parents=True)
        (data / "bots" / "gravity" / "bot.py").write_text(BOT)
        migrate(data)
        await manage(data, "shell", "-c", ROWS.format(marker=marker))
        async with serving(data) as (server, port), Droidcon.to(port) as bot:
            await bot.enter("ada", "lab")
            await bot.until("YOUR_MOVE")
            assert processes(marker)
            server.send_signal(signal.SIGKILL)
            await server.wait()
            await until_nobody(marker)
