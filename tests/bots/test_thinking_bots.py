"""Bots that think for a third of their time at every move, like 10 s of a door's 30 s: nobody hurries them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from arena.bots.process.child import ChildBot
from arena.bots.seats.choices import Opener
from arena.host import Host
from arena.models import Match
from arena.protocols.fiar.adapter import Fiar
from tests.bots.conftest import Opens
from tests.bots.placing import ANYONE, FIAR, port
from tests.kit.bridging import bridge
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.until import until

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("seated_soon")]

# What `serve --clock fiar=6s` and `match --clock 6s` say.
CLOCK, THINKS_S = "6s", 2
THINKER = [sys.executable, "-c", f"import sys, time\nfor _ in sys.stdin: time.sleep({THINKS_S}); print(1)"]
HASTY = "sh -c 'while read -r line; do echo 2; done'"


async def test_they_play_whole_matches_at_every_address(host: Host, opened: Opens, ada: Opener, tmp_path: Path) -> None:
    host.seat_ports.clocks = {"fiar": CLOCK}
    fields = {"variant": "connect-four-7x6", "clock": host.seat_ports.clock_of(Fiar)}
    seated = await host.room_maker.open_room(fields, (FIAR, FIAR), ada)
    started = await host.room_maker.open_room(fields, (ANYONE, FIAR), ada)
    child = ChildBot(host.referee, Fiar, THINKER, "thinker", tmp_path)
    started.sit(child, 0)
    door = await opened("fiar")
    try:
        async with bridge(door, bot=THINKER), bridge(port(host, seated, 0), bot=THINKER):
            await until(lambda: len(host.lobby.open_rooms()) == 1)  # it waits at the door
            local = play_without_a_server()
            others = (hasty(number) for number in (door, port(host, seated, 1), port(host, started, 1)))
            said, *_ = await asyncio.gather(local, *others)
    finally:
        await child.close()
    endings = [(row.clock, row.termination, row.winner, row.plies) async for row in Match.objects.all()]
    assert endings == [(CLOCK, "normal", 0, 7)] * 3
    assert said is not None and "1-0 {four in a row}" in said


async def hasty(number: int) -> None:
    """Answers at once, to the end."""
    async with Wire.to(number) as bot:
        while await bot.line():
            await bot.send("2")


async def play_without_a_server() -> str:
    """What `match` prints."""
    words = ("match", "connect-four-7x6", f"fiar:{sys.executable} -c '{THINKER[2]}'", f"fiar:{HASTY}", "--clock", CLOCK)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "manage.py", *words, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    async with asyncio.timeout(DEADLINE_S):
        said, _ = await process.communicate()
    return said.decode()
