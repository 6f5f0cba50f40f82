"""A side that waits for a program: its port, how long that is open, and who comes back, over sockets and restarts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from arena.bots.seats import seat_ports
from arena.bots.seats.choices import Opener
from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Match, Place, Room
from arena.rooms import visits
from tests.bots.placing import ANYONE, FIAR, FIELDS, ME, RANDOM, answers, kept, port, seats, side, stored
from tests.kit.clients import Wire
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")


# -- a port for a seat -------------------------------------------------------------------------------------------------


async def test_a_bot_comes_in_at_its_port_and_plays_a_whole_match(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, RANDOM), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        boards = await answers(bot, "1")
    assert boards[0] == "@ " + "." * 42
    await until(lambda: room.over)
    [match] = [row async for row in Match.objects.all()]
    assert (match.room_id, match.termination in ("normal", "illegal_move")) == (room.plan.room, True)
    assert (await seats(match.id))[0] == ("fiar (unverified)", False, "fiar")
    await stored(host)
    row = await kept(room, 0)
    assert (row.port, row.token_sha256, row.expires) == (None, None, None)
    assert side(host, room, 0).port is None


async def test_a_person_sits_opposite_and_the_choice_decides_who_begins(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    assert [each is not None for each in room.sides] == [False, True]
    async with Wire.to(port(host, room, 0)) as bot:
        assert (await bot.line()).startswith("@ ")


# -- time, and ports that are gone -------------------------------------------------------------------------------------


async def test_an_address_expires_and_can_be_opened_again(
    host: Host, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_ports, "EXPIRES", timedelta(seconds=0.1))
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    found = side(host, room, 0)
    number, token = found.hearing.entries[0].params["port"], found.token  # it may have expired by now
    await until(lambda: found.closed)
    assert [entry.code for entry in found.hearing.entries] == ["open", "expired"]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", number)
    await stored(host)
    with pytest.raises(Refusal):
        await tokens.find(token)
    monkeypatch.setattr(seat_ports, "EXPIRES", timedelta(minutes=15))
    again = await host.room_maker.open_again(room, 0)
    assert again.token != token and again.expires is not None
    async with Wire.to(port(host, room, 0)) as bot:
        assert (await bot.line()).startswith("@ ")
    with pytest.raises(Refusal, match="series has begun|seat is taken"):
        await host.room_maker.open_again(room, 0)


async def test_a_bot_that_is_there_does_not_expire(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    found = side(host, room, 0)
    async with Wire.to(port(host, room, 0)):
        await until(lambda: room.sides[0] is not None)
        assert found.expires is None
        found._until = datetime.now(UTC)
        found._expire()
        assert not found.closed
    await until(lambda: found.closed)
    assert found.hearing.entries[-1].code == "expired"


async def test_an_empty_pool_is_a_clear_refusal_and_makes_nothing(host: Host, ada: Opener) -> None:
    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    number = taken.sockets[0].getsockname()[1]
    host.seat_ports.pool._numbers = [number]
    with pytest.raises(Refusal, match=rf"All 1 ports for waiting bots \({number}-{number}\) are in use") as why:
        await host.room_maker.open_room(FIELDS, (RANDOM, FIAR), ada)
    assert why.value.code == "no_port"
    assert host.lobby.rooms == {} and await Room.objects.acount() == 0
    taken.close()
    await taken.wait_closed()


# -- after a restart ---------------------------------------------------------------------------------------------------


async def test_a_promise_that_has_not_expired_is_kept_by_the_next_host(host: Host, ada: Opener) -> None:
    from tests.kit.hosting import serving

    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    number, token = port(host, room, 0), side(host, room, 0).token
    await host.stop()
    async with serving() as after:
        found = after.seat_ports.port_of(room.plan.code, 0)
        assert found is not None and (found.port, found.token) == (number, "")
        async with Wire.to(number) as bot:
            await bot.send(f"SEAT {token}")
            await visits.arrive(after.lobby, room.plan.code.upper(), ada.setup.player, "127.0.0.1")
            assert (await bot.line()).startswith("@ "), "the page of who opened it is back as well"


async def test_a_bot_that_waits_for_its_opponent_finds_its_port_after_a_restart(host: Host, ada: Opener) -> None:
    from tests.kit.hosting import serving

    room = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    number, token = port(host, room, 0), side(host, room, 0).token
    async with Wire.to(number):
        await until(lambda: room.sides[0] is not None)
        await stored(host)
        assert (await kept(room, 0)).expires is None
        await host.stop()
    async with serving() as after, Wire.to(number) as bot:
        await bot.send(f"SEAT {token}")
        found = after.seat_ports.port_of(room.plan.code, 0)
        assert found is not None
        await until(lambda: found.room.sides[0] is not None)
        after.lobby.sit_down(found.room, ada.setup)
        assert (await bot.line()).startswith("@ ")


async def test_a_bot_on_its_port_goes_on_in_mid_game_after_a_restart(host: Host, ada: Opener) -> None:
    from tests.kit.hosting import serving

    room = await host.room_maker.open_room(FIELDS, (FIAR, RANDOM), ada)
    number = port(host, room, 0)
    async with Wire.to(number) as bot:
        await bot.line()
        await bot.send("1")
        await bot.line()
        match = room.live.id if room.live else ""
        await host.stop()
    async with serving() as after, Wire.to(number) as bot:
        assert (await bot.line()).count(".") < 42
        live = after.hub.get(match)
        assert live is not None
        await until(lambda: live.state.phase == "running")


async def test_a_promise_that_has_expired_meanwhile_is_not_kept(host: Host, ada: Opener) -> None:
    from tests.kit.hosting import serving

    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    await host.stop()
    await Place.objects.filter(room=room.plan.room, side=0).aupdate(expires=datetime.now(UTC))
    async with serving() as after:
        assert after.seat_ports.port_of(room.plan.code, 0) is None
    assert (await kept(room, 0)).port is None
