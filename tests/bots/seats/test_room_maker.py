"""Rooms whose sides are chosen, and changed."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from arena.bots.seats import seat_finder
from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.seats.room_maker import RoomMaker
from arena.bots.session.session import Session
from arena.host import Host
from arena.match.commands import Refusal, Resign
from arena.models import Place, Player
from arena.protocols.adapter import Queue
from arena.rooms import room_rows
from arena.rooms.people import seat_of_player
from tests.bots.conftest import Opens
from tests.bots.placing import ANYONE, FIAR, FIELDS, ME, RANDOM, port, side
from tests.kit.clients import Droidcon, Wire
from tests.kit.registered import register
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")


async def test_a_place_that_is_kept_for_a_registered_bot_calls_it_from_the_lobby(
    host: Host, opened: Opens, ada: Opener
) -> None:
    bot, token = await register("gravity-9", "fiar")
    async with Wire.to(await opened("fiar")) as wire:
        await wire.send(f"SEAT {token}")
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
        assert (await wire.line()).startswith("@ ")
        assert host.lobby.open_rooms() == []
    assert room.live is not None and room.live.state.setup.seats[0].name == "gravity-9"


async def test_a_bot_that_waits_for_anybody_in_the_room_that_it_names_is_called_as_well(
    host: Host, opened: Opens, ada: Opener
) -> None:
    """Programs always name one, and whoever sees it wait there could sit down opposite."""
    bot, token = await register("gravity-9", "droidcon")
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.send(f"SEAT {token}")
        await wire.enter("ada", "lab")
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
        assert await wire.line() == "NEW_GAME" and host.lobby.open_rooms() == []
        assert room.live is not None and room.live.state.setup.seats[0].name == "gravity-9"
        await host.referee.act(room.live, Resign(1))
        await wire.rest()
    # It names the same one when it comes back, while somebody waits for it elsewhere.
    assert host.lobby.rooms["LAB"].sides.are_free
    room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
    async with Droidcon.to(host.doors["droidcon"].port) as wire:
        await wire.send(f"SEAT {token}")
        await wire.enter("ada", "lab")
        assert await wire.line() == "NEW_GAME" and room.live is not None


async def test_a_bot_that_comes_to_the_port_of_another_seat_is_not_called_away(
    host: Host, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_finder, "SEATED_AFTER_S", 0.5)
    bot, token = await register("gravity-9", "fiar")
    waits = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port(host, waits, 0)) as wire:
        await wire.send(f"SEAT {token}")
        await until(lambda: host.seat_ports.online(bot.pk))
        room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
        await until(lambda: waits.sides[0] is not None)
        assert room.sides[0] is None


async def test_a_bot_that_is_called_while_it_looks_for_a_room_sits_in_one(
    host: Host, opened: Opens, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, token = await register("gravity-9", "native")
    looking, go_on = asyncio.Event(), asyncio.Event()
    exist = room_rows.exist

    async def slow(code: str) -> bool:
        looking.set()
        await go_on.wait()
        return await exist(code)

    async with Wire.to(await opened("native")) as wire:
        await wire.send(f'{{"type": "hello", "name": "x", "token": "{token}"}}')
        assert "welcome" in await wire.line()
        monkeypatch.setattr(room_rows, "exist", slow)
        await wire.send('{"type": "queue", "variant": "connect-four-7x6"}')
        await looking.wait()
        monkeypatch.setattr(room_rows, "exist", exist)
        room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ANYONE), ada)
        go_on.set()
        assert '"code":"already_in_channel"' in await wire.line()
        [session] = [each for sitting in host.lobby.rooms.values() for each in sitting.sides if each is not None]
        assert room.sides[0] is session


async def test_a_bot_that_asks_at_once_although_it_is_awaited_is_not_refused(
    host: Host, opened: Opens, ada: Opener
) -> None:
    """It sits there from its hello on, and a program that hears a refusal before its first match ends."""
    bot, token = await register("gravity-9", "native")
    room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ANYONE), ada)
    async with Wire.to(await opened("native")) as wire:
        await wire.send(f'{{"type": "hello", "name": "x", "token": "{token}"}}')
        assert "welcome" in await wire.line()
        await until(lambda: room.sides[0] is not None)
        session = cast(Session, room.sides[0])
        session.heard(Queue("connect-four-7x6"))
        await until(lambda: not session.seeking.is_running)
        await wire.send('{"type": "challenge", "player": "nobody"}')
        assert '"received":"nobody"' in await wire.line(), "a second wish is refused as ever"


async def test_a_registered_bot_that_names_its_usual_room_sits_where_it_is_awaited(
    host: Host, opened: Opens, ada: Opener
) -> None:
    bot, token = await register("gravity-9", "droidcon")
    room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.send(f"SEAT {token}", "NAME ada", "JOIN lab")
        assert await wire.until("SUCCESS") == ["SUCCESS"]
        await until(lambda: room.sides[0] is not None)
    assert list(host.lobby.rooms.values()) == [room]


async def test_nobody_else_takes_a_place_that_is_kept_for_a_bot(host: Host, opened: Opens, ada: Opener) -> None:
    bot, _ = await register("gravity-9", "droidcon")
    room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.send("NAME gravity-9", f"JOIN {room.plan.code}")
        assert await wire.until("Error CHANNEL_IS_FULL") == ["SUCCESS", "Error CHANNEL_IS_FULL"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"protocol": "gamestate"}, "wrong_protocol"), ({"enabled": False}, "bot_disabled"), ({}, "unknown_bot")],
)
async def test_a_bot_that_cannot_play_here_is_refused(
    host: Host, ada: Opener, fields: dict[str, Any], code: str
) -> None:
    bot, _ = await register("gravity-9", **{"protocol": "fiar", **fields})
    chosen = SideChoice("bot" if fields else "command", player=bot.pk)
    with pytest.raises(Refusal) as why:
        await host.room_maker.open_room(FIELDS, (ME, chosen), ada)
    assert why.value.code == code and host.lobby.rooms == {}


async def test_a_side_is_changed_until_the_series_begins(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await until(lambda: bool(side(host, room, 0).finder.sessions))
        host.lobby.rooms[room.plan.code.upper()].pause.cancel()
        gone = side(host, room, 0)
        if not room.begun:
            room = await host.room_maker.change(room, 0, SideChoice("builtin", level="random"), ada)
            assert gone.closed and room.sides[0] is not None and room.sides[0].setup.kind == "builtin"
            assert await bot.rest() == ["SEAT REFUSED place_kept: This seat is kept for somebody else now."]
    with pytest.raises(Refusal, match="The series has begun"):
        await until(lambda: room.begun)
        await host.room_maker.change(room, 0, FIAR, ada)


async def test_nobody_is_replaced_while_the_first_round_begins(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (RANDOM, ANYONE), ada)
    changing = host.room_maker.change(room, 0, FIAR, ada)
    host.lobby.sit_down(room, ada.setup)
    assert room.playing and not room.begun
    with pytest.raises(Refusal, match="The series has begun"):
        await changing
    await until(lambda: room.live is not None and room.live.state.phase == "running")


async def test_nobody_is_replaced_in_a_round_that_begins_while_the_choice_is_looked_up(
    host: Host, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, _ = await register("gravity-9", "fiar")
    bob = await Player.objects.acreate(kind="person", name="Bob", slug="bob")
    room = await host.room_maker.open_room(FIELDS, (ME, ANYONE), ada)
    looking, go_on = asyncio.Event(), asyncio.Event()
    check = RoomMaker._check_bot

    async def slow(maker: RoomMaker, variant: str, choice: SideChoice) -> None:
        await check(maker, variant, choice)
        looking.set()
        await go_on.wait()

    monkeypatch.setattr(RoomMaker, "_check_bot", slow)
    changing = asyncio.ensure_future(host.room_maker.change(room, 1, SideChoice("bot", player=bot.pk), ada))
    await looking.wait()
    host.lobby.sit_down(room, seat_of_player(bob))
    await until(lambda: room.live is not None and room.live.state.phase == "running")
    go_on.set()
    with pytest.raises(Refusal, match="The series has begun"):
        await changing
    assert not room.over and room.sides.free is None


async def test_two_changes_of_a_side_at_once_are_made_one_after_the_other(host: Host, ada: Opener) -> None:
    """As a double click asks for."""
    room = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    changes = (host.room_maker.change(room, 0, choice, ada) for choice in (FIAR, FIAR, RANDOM, FIAR))
    assert await asyncio.gather(*changes) == [room] * 4
    assert side(host, room, 0).port is not None and host.seat_ports.pool.used == 1
    assert await Place.objects.filter(room=room.plan.room).acount() == 2


async def test_a_bot_by_its_code_and_a_built_in_player_later(host: Host, opened: Opens, ada: Opener) -> None:
    fields = {**FIELDS, "private": True}
    room = await host.room_maker.open_room(fields, (SideChoice("socket", protocol="droidcon"), ANYONE), ada)
    async with Droidcon.to(await opened("droidcon")) as bot:
        await bot.enter("gravity", room.plan.code)
        await until(lambda: room.sides[0] is not None)
        heard = [entry.code for entry in side(host, room, 0).hearing.entries]
        assert heard == ["open", "connected", "first_line", "ready"]
        await host.room_maker.change(room, 1, RANDOM, ada)
        assert await bot.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]


async def test_only_the_opener_may_change_it(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (ME, ANYONE), ada)
    assert await host.room_maker.may_change(room, ada.setup.player)
    assert not await host.room_maker.may_change(room, None)
    assert not await host.room_maker.may_change(room, 99)


async def test_what_is_planned_besides_reaches_the_room(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (ME, ANYONE), None, plan={"break_s": 0.0})
    assert room.plan.break_s == 0.0 and room.sides.are_free
