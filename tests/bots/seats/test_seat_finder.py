"""Who has the seat of those who come to its port."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.seats.seat_finder import MOST_KNOCKING
from arena.host import Host
from arena.models import Match
from arena.protocols.santorini_json.adapter import SantoriniJson
from tests.bots.conftest import Opens
from tests.bots.placing import ANYONE, FIAR, FIELDS, ME, RANDOM, answers, kept, port, side, stored
from tests.kit.clients import Droidcon, Wire
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")


async def test_two_bots_on_two_ports_meet(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, FIAR), ada)
    async with Wire.to(port(host, room, 1)) as second, Wire.to(port(host, room, 0)) as first:
        await asyncio.gather(answers(first, "1"), answers(second, "2"))
    [match] = [row async for row in Match.objects.all()]
    assert (match.winner, match.termination, match.plies) == (0, "normal", 7)


async def test_a_second_connection_is_told_and_closed_and_the_first_one_stays(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port(host, room, 0)) as one:
        await until(lambda: room.sides[0] is not None)
        async with Wire.to(port(host, room, 0)) as two:
            [line] = await two.rest()
            assert line.startswith("SEAT REFUSED seat_taken: ")
        host.lobby.sit_down(room, ada.setup)
        assert (await one.line()).startswith("@ ")
    codes = [entry.code for entry in side(host, room, 0).hearing.entries]
    assert codes[:4] == ["open", "connected", "ready", "refused"]


async def test_who_leaves_before_the_match_makes_room_for_the_next(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port(host, room, 0)):
        await until(lambda: room.sides[0] is not None)
        await stored(host)
        assert (await kept(room, 0)).expires is None
    await until(lambda: room.sides[0] is None)
    await stored(host)
    assert (await kept(room, 0)).expires is not None
    async with Wire.to(port(host, room, 0)):
        await until(lambda: room.sides[0] is not None)


async def test_a_bot_that_drops_has_its_seat_back_at_the_same_port(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    number = port(host, room, 0)
    async with Wire.to(number) as bot:
        board = await bot.line()
        live = room.live
        assert live is not None
    await until(lambda: not live.presence[0].here)
    async with Wire.to(number) as back:
        assert await back.line() == board
        await until(lambda: live.presence[0].here)
        await back.send("4")
        await until(lambda: live.state.position.ply == 1)
    assert room.live is not None and live.id == room.live.id


async def test_who_only_holds_the_port_keeps_nobody_out(host: Host, opened: Opens, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (SideChoice("socket", protocol="native"), RANDOM), ada)
    door, seat = await opened("native"), side(host, room, 0)
    lines = (f"SEAT {seat.token}", '{"type": "hello", "name": "alpha"}')
    async with Wire.to(door) as bot:
        await bot.send(*lines)
        await until(lambda: room.live is not None and room.live.state.phase == "running")
    await until(lambda: room.sides.is_away(0))
    async with AsyncExitStack() as stack:
        for _ in range(MOST_KNOCKING):
            await stack.enter_async_context(Wire.to(port(host, room, 0)))
        async with Wire.to(port(host, room, 0)) as one_more:
            assert (await one_more.rest())[0].startswith("SEAT REFUSED seat_taken: ")
        async with Wire.to(door) as bot:
            await bot.send(*lines)
            await until(lambda: room.sides[0] is not None and not room.sides.is_away(0))


async def test_the_wrong_bot_at_the_port_is_told_how_to_come(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, RANDOM), ada)
    number = port(host, room, 0)
    async with Wire.to(number) as bot:
        await bot.send(f"SEAT {side(host, room, 0).token}")
        await bot.line()
    await until(lambda: room.sides.is_away(0))
    async with Wire.to(number) as other:
        assert (await other.rest())[0].startswith(
            "SEAT REFUSED other_bot: This seat waits for the bot that had it. Come"
        )
    assert "other_bot" in [entry.params.get("code") for entry in side(host, room, 0).hearing.entries]


async def test_santorini_is_told_of_its_match_when_it_said_no_name_in_time(
    host: Host, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SantoriniJson, "ready_s", 0.1)
    fields = {"variant": "santorini-6x6", "clock": "30s"}
    room = await host.room_maker.open_room(fields, (SideChoice("socket", protocol="santorini-json"), RANDOM), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await bot.line()
        assert bot.heard.startswith(b'["new_game",')


async def test_droidcon_may_name_any_channel_at_its_own_port(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (SideChoice("socket", protocol="droidcon"), RANDOM), ada)
    async with Droidcon.to(port(host, room, 0)) as bot:
        await bot.enter("gravity", "TEST")
        assert await bot.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]
    assert [entry.code for entry in side(host, room, 0).hearing.entries][:3] == ["open", "connected", "first_line"]
