"""Ports of registered bots: a program that connects there is that bot."""

from __future__ import annotations

import asyncio

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from arena.bots.seats import personal
from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Bot
from tests.bots.conftest import Opens
from tests.bots.placing import ANYONE, FIAR, FIELDS, ME, side
from tests.kit.clients import Wire
from tests.kit.hosting import serving
from tests.kit.registered import own_ports, register
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")


async def with_port(name: str = "gravity-9") -> tuple[Bot, str, int]:
    bot, token = await register(name, "fiar")
    [port] = own_ports(1)
    await tokens.give_port(bot, port)
    return bot, token, port


async def test_who_connects_there_is_that_bot_and_sits_where_it_is_wanted(host: Host, ada: Opener) -> None:
    bot, _, port = await with_port()
    room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
    async with Wire.to(port) as wire:
        assert (await wire.line()).startswith("@ ")
        assert host.seat_ports.online(bot.pk)
    assert room.live is not None
    seat = room.live.state.setup.seats[0]
    assert (seat.name, seat.player, seat.verified) == ("gravity-9", bot.pk, True)


async def test_a_bot_that_nobody_waits_for_waits_in_the_lobby_and_comes_back_to_its_match(
    host: Host, ada: Opener
) -> None:
    bot, _, port = await with_port()
    async with Wire.to(port) as wire:
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        [room] = host.lobby.open_rooms()
        host.lobby.sit_down(room, ada.setup)
        board = await wire.line()
    live = room.live
    assert live is not None
    await until(lambda: not live.presence[0].here)
    async with Wire.to(port) as back:
        assert await back.line() == board
    assert host.seat_ports.online(bot.pk) or not live.over


async def test_it_has_one_connection(host: Host) -> None:
    _, _, port = await with_port()
    async with Wire.to(port), Wire.to(port) as two:
        assert (await two.rest())[0].startswith("SEAT REFUSED seat_taken: This bot is connected")


async def test_a_token_of_another_bot_is_refused_there(host: Host) -> None:
    _, _, port = await with_port()
    _, other = await register("sparrow", "fiar")
    async with Wire.to(port) as wire:
        await wire.send(f"SEAT {other}")
        assert (await wire.rest())[0].startswith("SEAT REFUSED wrong_seat: ")
        async with Wire.to(port):
            await until(lambda: len(host.lobby.open_rooms()) == 1)


async def test_a_seat_token_takes_it_to_that_seat(host: Host, ada: Opener) -> None:
    _, _, port = await with_port()
    room = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port) as wire:
        await wire.send(f"SEAT {side(host, room, 0).token}")
        await until(lambda: room.sides[0] is not None)
    assert side(host, room, 0).hearing.entries[-1].code in ("ready", "gone")


async def test_a_port_is_listened_on_while_the_bot_is_enabled_and_after_a_restart(host: Host) -> None:
    bot, _, port = await with_port()
    async with Wire.to(port) as wire:
        await tokens.disable(bot, "ten failures in a row")
        assert await wire.rest() == ["SEAT REFUSED bot_disabled: This bot was disabled: ten failures in a row."]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    await tokens.enable(bot)
    async with Wire.to(port):
        await until(lambda: host.seat_ports.online(bot.pk))
    await host.stop()
    async with serving() as after, Wire.to(port):
        await until(lambda: after.seat_ports.online(bot.pk))
    fresh = await Bot.objects.aget(pk=bot.pk)
    async with serving():
        await tokens.give_port(fresh, None)
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)


async def test_a_match_waits_for_its_bot_when_the_port_is_taken_away(host: Host, opened: Opens, ada: Opener) -> None:
    bot, token, port = await with_port()
    room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
    async with Wire.to(port) as wire:
        board = await wire.line()
        await tokens.give_port(bot, None)
        assert (await wire.rest())[0].startswith("SEAT REFUSED port_changed: ")
    live = room.live
    assert live is not None and not live.presence[0].here
    async with Wire.to(await opened("fiar")) as back:
        await back.send(f"SEAT {token}")
        assert await back.line() == board
    assert not live.over


async def test_a_port_that_is_taken_is_refused_and_changes_nothing(host: Host) -> None:
    bot, _, port = await with_port()
    other, _ = await register("sparrow", "fiar")
    with pytest.raises(Refusal, match=f"Port {port} belongs to another bot"):
        await tokens.give_port(other, port)
    [number] = own_ports(1)
    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", number)
    with pytest.raises(Refusal, match=f"Port {number} is in use on this machine"):
        await tokens.give_port(other, number)
    for outside in (80, settings.ARENA_BOT_PORTS[-1] + 1):
        with pytest.raises(Refusal, match=f"Received port {outside}, expected a number from {port} to"):
            await tokens.give_port(other, outside)
    await other.arefresh_from_db()
    assert other.port is None and bot.port == port
    taken.close()
    await taken.wait_closed()


async def test_a_bot_keeps_its_port_if_the_new_one_is_taken(host: Host) -> None:
    bot, _, port = await with_port()
    [number] = own_ports(1)
    async with await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", number), Wire.to(port) as wire:
        await until(lambda: host.seat_ports.online(bot.pk))
        with pytest.raises(Refusal, match=f"Port {number} is in use on this machine"):
            await tokens.give_port(bot, number)
        async with Wire.to(port) as two:
            assert (await two.rest())[0].startswith("SEAT REFUSED seat_taken: ")
        assert wire.heard == b"" and host.seat_ports.online(bot.pk)


async def test_a_page_that_is_gone_leaves_no_port_open_beside_the_next(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, _ = await register("gravity-9", "fiar")
    first, second = own_ports(2)
    opening, go_on, identity = asyncio.Event(), asyncio.Event(), personal._identity

    async def slow(bot: Bot) -> tokens.Identity:
        if not opening.is_set():
            opening.set()
            await go_on.wait()
        return await identity(bot)

    monkeypatch.setattr(personal, "_identity", slow)
    tasks = len(asyncio.all_tasks())
    asking = asyncio.ensure_future(tokens.give_port(bot, first))
    await opening.wait()
    asking.cancel()
    await asyncio.wait([asking])
    again = asyncio.ensure_future(tokens.give_port(await Bot.objects.aget(pk=bot.pk), second))
    ports = host.personal
    assert ports is not None
    await until(lambda: again.done() or ports._one_at_a_time._waiters)
    go_on.set()
    await again
    await until(lambda: len(asyncio.all_tasks()) == tasks)
    assert [door.port for door in ports.doors.values()] == [second]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", first)


async def test_a_port_that_opens_while_the_host_ceases_is_left_to_the_next(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, _ = await register("gravity-9", "fiar")
    [port] = own_ports(1)
    opening, go_on, identity = asyncio.Event(), asyncio.Event(), personal._identity

    async def slow(bot: Bot) -> tokens.Identity:
        opening.set()
        await go_on.wait()
        return await identity(bot)

    monkeypatch.setattr(personal, "_identity", slow)
    asking = asyncio.ensure_future(tokens.give_port(bot, port))
    await opening.wait()
    await host.cease()
    go_on.set()
    with pytest.raises(Refusal, match="The server is stopping"):
        await asking
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_of_many_asked_for_at_once_an_owner_has_three(host: Host) -> None:
    mira = await User.objects.acreate(username="mira")
    bots = [(await register(f"gravity-{number}", "fiar", owner=mira))[0] for number in range(6)]
    asked = (tokens.give_port(bot, port) for bot, port in zip(bots, own_ports(6), strict=True))
    refused = [each for each in await asyncio.gather(*asked, return_exceptions=True) if each is not None]
    assert [getattr(each, "code", each) for each in refused] == ["too_many_ports"] * 3
    assert (
        await Bot.objects.filter(port__isnull=False).acount() == len(host.personal.doors if host.personal else ()) == 3
    )


async def test_a_bot_keeps_a_port_that_is_not_kept_for_bots_any_more(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, _, port = await with_port()
    monkeypatch.setattr(settings, "ARENA_BOT_PORTS", range(port + 1, port + 2))
    await tokens.give_port(bot, port)
    await host.stop()
    async with serving() as after, Wire.to(port):
        await until(lambda: after.seat_ports.online(bot.pk))
