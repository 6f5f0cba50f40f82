"""The rooms that bots name at a door."""

from __future__ import annotations

import time

import pytest

from arena.bots.seats.doors import Door
from arena.common.limits import Rate
from arena.host import Host
from arena.match.commands import Refusal
from arena.protocols.adapter import Queue
from arena.protocols.droidcon.adapter import Droidcon
from arena.rooms.room_quota import RoomQuota
from tests.bots.conftest import Opens
from tests.bots.seats.test_unseated import Stranger
from tests.kit.clients import Droidcon as Bot
from tests.kit.until import until


async def test_a_room_of_another_game_is_refused(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    await host.lobby.open("nim", {"variant": "expanding-nim"})
    async with Bot.to(port) as bot:
        await bot.send("NAME ada", "JOIN nim")
        assert await bot.until("Error INVALID_COMMAND") == ["SUCCESS", "Error INVALID_COMMAND"]


async def test_the_longest_code_is_a_room(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    code = "Abc._-" + "9" * 34
    async with Bot.to(port) as bot:
        await bot.enter("ada", code)
    assert host.lobby.rooms[code.upper()].plan.code == code


async def test_one_address_opens_so_many_rooms_by_naming_them(host: Host) -> None:
    host.lobby.quota = RoomQuota(Rate(2, 0))
    door = Door(host.seat_ports, Droidcon, [])
    sessions = []
    for number in range(3):
        sessions.append(door.receive(Stranger(f"198.51.100.7:{5000 + number}")))
        sessions[-1].connection.data_received(f"NAME a\nJOIN room{number}\n".encode(), time.monotonic())
        await until(lambda number=number: sessions[number].seeking._task is None)  # type: ignore[misc]
    assert sorted(host.lobby.rooms) == ["ROOM0", "ROOM1"]
    assert [session.room is not None for session in sessions] == [True, True, False]
    with pytest.raises(Refusal, match="Your address has opened 2 rooms at once"):
        await door.seek(sessions[2], Queue("connect-four-7x6"))
    for session in sessions:
        session.connection.connection_lost("gone")
