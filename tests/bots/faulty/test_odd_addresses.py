"""Odd programs at the addresses of a server: over a socket and by the bridge the true cause is told as to a child."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL

from arena.bots.failure import departures
from arena.bots.failure.failure import card_of
from arena.bots.seats.choices import Opener, SideChoice
from arena.host import Host
from arena.protocols import protocol
from tests.bots.conftest import Opens
from tests.bots.faulty.test_odd_bots import BOT, expected
from tests.bots.placing import RANDOM
from tests.kit.registered import register
from tests.kit.samples import BRIDGE
from tests.kit.until import until

# A program on its own input and output gets a connection in their place, which may show a token first.
LAUNCHER = """
import os, socket, sys
port, token, *command = sys.argv[1:]
arena = socket.create_connection(("127.0.0.1", int(port)))
if token:
    arena.sendall(f"SEAT {token}\\n".encode())
os.dup2(arena.fileno(), 0)
os.dup2(arena.fileno(), 1)
os.execvp(command[0], command)
"""
# What only the exit of a process tells is the end of a connection here.
CELLS = {
    ("seat", "fiar", "utf_16_unmarked"): expected("fiar", "utf_16_unmarked"),
    ("seat", "santorini-course", "crashes_at_once"): "gone",
    ("door", "gamestate", "crlf"): expected("gamestate", "crlf"),
    ("door", "native", "ends_at_once"): "left_early",
    ("bridge", "nyu-nim", "prompts"): expected("nyu-nim", "prompts"),
    ("bridge", "fiar", "crashes_at_once"): "gone",
}


async def told(host: Host, opened: Opens, opener: Opener, address: str, slug: str, oddity: str) -> str:
    """The code of its card; `gone` where it went before its match, and its seat is free again and says so."""
    variant = next(iter(protocol(slug).variants), "connect-four-7x6")
    choice, token, player = SideChoice("socket", protocol=slug), "", 0
    if address == "door":
        bot, token = await register(f"odd-{slug}", slug, variant)
        choice, player = SideChoice("bot", player=bot.pk), bot.pk
    room = await host.room_maker.open_room({"variant": variant, "clock": "1m"}, (choice, RANDOM), opener)
    waits = host.seat_ports.port_of(room.plan.code, 0)
    port = await opened(slug) if waits is None else waits.port
    start = [str(BRIDGE), "127.0.0.1", str(port), "--"] if address == "bridge" else ["-c", LAUNCHER, str(port), token]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *start, sys.executable, str(BOT), slug, oddity, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
    )

    def left() -> bool:
        heard = waits is not None and waits.hearing.entries[-1].code == "gone"
        return room.sides[0] is None and (heard or departures.of(player) is not None)

    try:
        await until(lambda: left() or (room.live is not None and room.live.over))
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
    if room.live is None:
        gone = departures.of(player)
        return gone.card.code if gone is not None else "gone"
    card = card_of(room.live)
    return card.code if card is not None else ""


async def test_the_card_names_the_true_cause(host: Host, opened: Opens, ada: Opener) -> None:
    async def one(cell: tuple[str, str, str]) -> str:
        return await told(host, opened, ada, *cell)

    found = await asyncio.gather(*map(one, CELLS))
    assert dict(zip(CELLS, found, strict=True)) == CELLS
