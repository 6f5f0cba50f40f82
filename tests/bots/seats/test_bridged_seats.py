"""Unmodified bots behind the bridge, on seats of a real arena: by a token at a door and at a port of their own."""

from __future__ import annotations

import sys

import pytest

from arena.bots.seats.choices import Opener, SideChoice
from arena.host import Host
from arena.models import Match
from tests.bots.conftest import Opens
from tests.bots.placing import FIAR, FIELDS, RANDOM, port, seats, side
from tests.kit.bridging import bridge
from tests.kit.ports import free_port
from tests.kit.registered import register
from tests.kit.samples import FOLDER
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")

STDIO = [sys.executable, str(FOLDER / "fiar" / "bot.py")]
# Connects to the port it is told, and plays the first column that is free.
ON_A_PORT = """
import socket, sys
arena = socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rw")
for line in arena:
    arena.write(f"{line.split()[1].index('.') % 7 + 1}\\n")
    arena.flush()
"""


async def the_match() -> Match:
    [match] = [row async for row in Match.objects.all()]
    return match


async def test_a_stdio_bot_takes_its_seat_by_a_token_at_the_door(host: Host, opened: Opens, ada: Opener) -> None:
    room = await host.room_maker.open_room({**FIELDS, "clock": "1m"}, (FIAR, RANDOM), ada)
    async with bridge(await opened("fiar"), "--seat", side(host, room, 0).token, bot=STDIO) as bridged:
        assert await bridged.ends() == 0
    match = await the_match()
    assert match.termination == "normal" and match.room_id == room.plan.room


async def test_a_bot_that_wants_a_port_of_its_own_machine_comes_in_at_a_seat_port(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room({**FIELDS, "clock": "1m"}, (FIAR, RANDOM), ada)
    local = free_port()
    bot = [sys.executable, "-c", ON_A_PORT, str(local)]
    async with bridge(port(host, room, 0), "--seat", side(host, room, 0).token, "--listen", str(local), bot=bot) as it:
        assert await it.ends() == 0
    assert (await the_match()).termination == "normal"


async def test_a_registered_bot_is_itself_behind_the_bridge(host: Host, opened: Opens, ada: Opener) -> None:
    bot, token = await register("gravity-9", "fiar")
    room = await host.room_maker.open_room({**FIELDS, "clock": "1m"}, (SideChoice("bot", player=bot.pk), RANDOM), ada)
    async with bridge(await opened("fiar"), bot=STDIO, ARENA_SEAT=token) as bridged:
        assert await bridged.ends() == 0
    assert room.over and (await seats((await the_match()).id))[0] == ("gravity-9", True, "fiar")


async def test_one_start_plays_match_after_match(host: Host, opened: Opens, ada: Opener) -> None:
    bot, token = await register("gravity-9", "fiar")
    async with bridge(await opened("fiar"), "--forever", bot=STDIO, ARENA_SEAT=token):
        for _ in range(2):
            sides = (SideChoice("bot", player=bot.pk), RANDOM)
            room = await host.room_maker.open_room({**FIELDS, "clock": "1m"}, sides, ada)
            await until(lambda room=room: room.over)  # type: ignore[misc]
    assert [match.termination async for match in Match.objects.all()] == ["normal", "normal"]


async def test_a_wrong_token_is_told_to_its_author_and_not_to_the_bot(host: Host, opened: Opens) -> None:
    async with bridge(await opened("fiar"), "--seat", "arn_" + "a" * 26, bot=STDIO) as bridged:
        assert await bridged.ends() == 4
    assert "arena-bridge: unknown_token: No bot and no seat has this token." in bridged.said


async def test_what_its_author_sees_is_heard_by_the_place(host: Host, opened: Opens, ada: Opener) -> None:
    room = await host.room_maker.open_room({**FIELDS, "clock": "1m"}, (FIAR, SideChoice("anyone")), ada)
    async with bridge(await opened("fiar"), "--seat", side(host, room, 0).token, bot=STDIO):
        await until(lambda: room.sides[0] is not None)
        codes = [entry.code for entry in side(host, room, 0).hearing.entries]
    assert codes[:3] == ["open", "connected", "ready"]
