"""Rooms whose sides were chosen, with bots on real sockets: their own ports, and tokens at the doors."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import OperationalError, connection

from arena.bots.seats import seat_finder
from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Place
from arena.rooms.room import LiveRoom
from tests.bots.conftest import Opens
from tests.bots.placing import ANYONE, FIAR, FIELDS, ME, port, side, stored
from tests.kit.clients import Droidcon, Wire
from tests.kit.registered import register
from tests.kit.storage import locked
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")


# -- ports ------------------------------------------------------------------------------------------------------------


async def unoffered(host: Host, by: Opener) -> tuple[LiveRoom, Place]:
    """A side that has no port yet."""
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), by)
    host.seat_ports.withdraw(room, 0)
    await stored(host)
    place = room.plan.places[0]
    assert place is not None
    place.port = None
    return room, place


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")
async def test_who_comes_before_the_seat_is_offered_waits_for_it(host: Host, ada: Opener) -> None:
    """After a restart bots know their ports, and knock at once."""
    room, place = await unoffered(host, ada)
    with ExitStack() as lock:
        lock.enter_context(locked())
        offering = asyncio.ensure_future(host.seat_ports.offer(room, place))
        await until(lambda: place.port is not None)
        async with Wire.to(place.port or 0) as bot:
            lock.close()
            await offering
            assert (await bot.line()).startswith("@ ")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")
async def test_a_port_whose_seat_cannot_be_stored_is_given_back(
    host: Host, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, place = await unoffered(host, ada)
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.05)
    await sync_to_async(lambda: connection.close())()  # the next one has this patience
    with locked(), pytest.raises(OperationalError):
        await host.seat_ports.offer(room, place)
    assert host.seat_ports.pool.used == 0


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")
async def test_a_room_that_is_closed_while_its_seat_is_offered_keeps_no_port(host: Host, ada: Opener) -> None:
    room, place = await unoffered(host, ada)
    with locked():
        offering = asyncio.ensure_future(host.seat_ports.offer(room, place))
        await until(lambda: place.port is not None)
        room.close()
    with pytest.raises(Refusal, match="gone"):
        await offering
    assert host.seat_ports.pool.used == 0
    await stored(host)
    assert not await Place.objects.filter(port__isnull=False).aexists()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")
async def test_a_seat_that_is_offered_while_the_host_goes_down_is_left_to_the_next(host: Host, ada: Opener) -> None:
    """This process may go on as a front."""
    room, place = await unoffered(host, ada)
    with locked():
        offering = asyncio.ensure_future(host.seat_ports.offer(room, place))
        await until(lambda: place.port is not None)
        await host._close_doors()
    with pytest.raises(Refusal, match="The server is stopping"):
        await offering
    assert host.seat_ports.pool.used == 0
    assert (await Place.objects.aget(pk=place.pk)).port == place.port


# -- tokens ------------------------------------------------------------------------------------------------------------


async def test_a_seat_token_finds_its_seat_at_the_door(host: Host, opened: Opens, ada: Opener) -> None:
    door = await opened("fiar")
    room = await host.room_maker.open_room({**FIELDS, "private": True}, (FIAR, ME), ada)
    token = side(host, room, 0).token
    async with Wire.to(door) as bot:
        await bot.send(f"SEAT {token}")
        assert (await bot.line()).startswith("@ ")
        async with Wire.to(door) as two:
            await two.send(f"SEAT {token}")
            assert (await two.rest())[0].startswith("SEAT REFUSED seat_taken: ")
        live = room.live
        assert live is not None
    await until(lambda: not live.presence[0].here)
    async with Wire.to(door) as back:
        await back.send(f"SEAT {token}")
        assert (await back.line()).startswith("@ ")
    assert host.doors["fiar"]._unseated.total == 0


async def test_a_bot_that_came_by_the_door_and_left_gives_the_seat_back_to_its_port(
    host: Host, opened: Opens, ada: Opener
) -> None:
    room = await host.room_maker.open_room(FIELDS, (SideChoice("socket", protocol="droidcon"), ANYONE), ada)
    async with Droidcon.to(await opened("droidcon")) as bot:
        await bot.enter("gravity", room.plan.code)
        assert side(host, room, 0).expires is None
    await until(lambda: room.sides[0] is None)
    assert side(host, room, 0).expires is not None
    async with Droidcon.to(port(host, room, 0)) as bot:
        await bot.enter("gravity", room.plan.code)
        await until(lambda: room.sides[0] is not None)


async def test_a_seat_is_kept_as_long_as_staff_have_paused_its_match(
    host: Host, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_finder, "RETURN_S", 0.2)
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        assert (await bot.line()).startswith("@ ")
        live = room.live
        assert live is not None
        await host.referee.pause(live, "lunch", "Staff")
    await until(lambda: not live.presence[0].here)
    first = live.presence[0].until
    await until(lambda: live.presence[0].until != first)
    async with Wire.to(port(host, room, 0)) as back:
        await until(lambda: live.presence[0].here)
        await host.referee.resume(live, "Staff")
        assert (await back.line()).startswith("@ ")


async def test_a_token_at_the_door_of_another_protocol_is_refused(host: Host, opened: Opens, ada: Opener) -> None:
    door = await opened("gamestate")
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    async with Wire.to(door) as bot:
        await bot.send(f"SEAT {side(host, room, 0).token}")
        [line] = await bot.rest()
    assert line.startswith("SEAT REFUSED wrong_protocol: This seat waits for fiar, this is a door of gamestate.")


@pytest.mark.parametrize("token", ["arn_" + "a" * 26, "hello", ""])
async def test_a_wrong_token_is_refused(host: Host, opened: Opens, token: str) -> None:
    async with Wire.to(await opened("fiar")) as bot:
        await bot.send(f"SEAT {token}")
        [line] = await bot.rest()
    assert line.startswith("SEAT REFUSED unknown_token: ")
    assert host.lobby.rooms == {}


async def test_the_token_of_another_seat_is_refused_at_a_port(host: Host, ada: Opener) -> None:
    one = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    two = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port(host, one, 0)) as bot:
        await bot.send(f"SEAT {side(host, two, 0).token}")
        assert (await bot.rest())[0].startswith("SEAT REFUSED wrong_seat: ")
    async with Wire.to(port(host, one, 0)):
        pass
    await until(lambda: side(host, one, 0).hearing.entries[-1].code == "gone")  # the second one, by itself
    said = [entry.code for entry in side(host, one, 0).hearing.entries]
    assert said == ["open", "connected", "refused", "connected", "gone"]


async def test_its_own_token_at_a_port_changes_nothing(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(FIELDS, (FIAR, ME), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await bot.send(f"SEAT {side(host, room, 0).token}")
        assert (await bot.line()).startswith("@ ")


async def test_a_registered_bot_is_itself_and_may_be_rated(host: Host, opened: Opens, ada: Opener) -> None:
    bot, token = await register("gravity-9", "droidcon")
    room = await host.room_maker.open_room({**FIELDS, "rated": True}, (ANYONE, ME), ada)
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.send(f"SEAT {token}")
        await wire.enter("somebody-else", room.plan.code)
        await wire.until("YOUR_MOVE")
        assert host.seat_ports.online(bot.pk)
    assert room.live is not None
    seat = room.live.state.setup.seats[0]
    assert (seat.name, seat.player, seat.verified, room.live.state.setup.rated) == ("gravity-9", bot.pk, True, True)
    await until(lambda: not host.seat_ports.online(bot.pk))


async def test_who_proves_nothing_plays_unrated_in_a_rated_room(host: Host, opened: Opens, ada: Opener) -> None:
    await register("gravity-9", "droidcon")
    room = await host.room_maker.open_room({**FIELDS, "rated": True}, (ANYONE, ME), ada)
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.enter("gravity-9", room.plan.code)
        await wire.until("YOUR_MOVE")
    assert room.live is not None
    seat = room.live.state.setup.seats[0]
    assert (seat.name, seat.verified, room.live.state.setup.rated) == ("gravity-9 (unverified)", False, False)


async def test_a_token_that_is_revoked_in_a_match_ends_the_connection_and_a_new_one_goes_on(
    host: Host, opened: Opens, ada: Opener
) -> None:
    bot, token = await register("gravity-9", "fiar")
    door = await opened("fiar")
    room = await host.room_maker.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
    async with Wire.to(door) as wire:
        await wire.send(f"SEAT {token}")
        board = await wire.line()
        live = room.live
        assert live is not None
        new = await tokens.rotate(bot)
        [words] = await wire.rest()
        assert words.startswith("SEAT REFUSED token_replaced: ")
    await until(lambda: not live.presence[0].here)
    async with Wire.to(door) as wire:
        await wire.send(f"SEAT {token}")
        assert (await wire.rest())[0].startswith("SEAT REFUSED unknown_token: ")
    async with Wire.to(door) as wire:
        await wire.send(f"SEAT {new}")
        assert await wire.line() == board
        await tokens.revoke(bot)
        [words] = await wire.rest()
        assert words.startswith("SEAT REFUSED token_revoked: ")


async def test_a_port_outlives_the_request_that_opened_it(host: Host, ada: Opener) -> None:
    """Within a request Django keeps a thread for its database calls, which is gone afterwards."""
    async with ThreadSensitiveContext():
        room = await host.room_maker.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await bot.send(f"SEAT {tokens.new_token()}")
        assert (await bot.rest())[0].startswith("SEAT REFUSED unknown_token: ")
    await until(lambda: "refused" in {entry.code for entry in side(host, room, 0).hearing.entries})
    await stored(host)


# -- choices -----------------------------------------------------------------------------------------------------------
