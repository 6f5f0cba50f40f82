"""Rooms whose sides were chosen, with bots on real sockets: their own ports, and tokens at the doors."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext

from arena.bots.seats.places import Opener, SideChoice, why_not
from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Refusal
from tests.bots.conftest import Opens
from tests.bots.placing import ANYONE, FIAR, FIELDS, ME, RANDOM, port, side, stored
from tests.kit.clients import Droidcon, Wire
from tests.kit.registered import register
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")


# -- tokens ------------------------------------------------------------------------------------------------------------


async def test_a_seat_token_finds_its_seat_at_the_door(host: Host, opened: Opens, ada: Opener) -> None:
    door = await opened("fiar")
    room = await host.places.open_room({**FIELDS, "private": True}, (FIAR, ME), ada)
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


async def test_a_token_at_the_door_of_another_protocol_is_refused(host: Host, opened: Opens, ada: Opener) -> None:
    door = await opened("gamestate")
    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
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
    one = await host.places.open_room(FIELDS, (FIAR, ANYONE), ada)
    two = await host.places.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port(host, one, 0)) as bot:
        await bot.send(f"SEAT {side(host, two, 0).token}")
        assert (await bot.rest())[0].startswith("SEAT REFUSED wrong_seat: ")
    await until(lambda: {"refused", "gone"} <= {entry.code for entry in side(host, one, 0).hearing.entries})


async def test_its_own_token_at_a_port_changes_nothing(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await bot.send(f"SEAT {side(host, room, 0).token}")
        assert (await bot.line()).startswith("@ ")


async def test_a_registered_bot_is_itself_and_may_be_rated(host: Host, opened: Opens, ada: Opener) -> None:
    bot, token = await register("gravity-9", "droidcon")
    room = await host.places.open_room({**FIELDS, "rated": True}, (ANYONE, ME), ada)
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.send(f"SEAT {token}")
        await wire.enter("somebody-else", room.plan.code)
        await wire.until("YOUR_MOVE")
        assert host.places.online(bot.pk)
    assert room.live is not None
    seat = room.live.state.setup.seats[0]
    assert (seat.name, seat.player, seat.verified, room.live.state.setup.rated) == ("gravity-9", bot.pk, True, True)
    await until(lambda: not host.places.online(bot.pk))


async def test_who_proves_nothing_plays_unrated_in_a_rated_room(host: Host, opened: Opens, ada: Opener) -> None:
    await register("gravity-9", "droidcon")
    room = await host.places.open_room({**FIELDS, "rated": True}, (ANYONE, ME), ada)
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
    room = await host.places.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
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


async def test_a_place_that_is_kept_for_a_registered_bot_calls_it_from_the_lobby(
    host: Host, opened: Opens, ada: Opener
) -> None:
    bot, token = await register("gravity-9", "fiar")
    async with Wire.to(await opened("fiar")) as wire:
        await wire.send(f"SEAT {token}")
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        room = await host.places.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
        assert (await wire.line()).startswith("@ ")
        assert host.lobby.open_rooms() == []
    assert room.live is not None and room.live.state.setup.seats[0].name == "gravity-9"


async def test_nobody_else_takes_a_place_that_is_kept_for_a_bot(host: Host, opened: Opens, ada: Opener) -> None:
    bot, _ = await register("gravity-9", "droidcon")
    room = await host.places.open_room(FIELDS, (SideChoice("bot", player=bot.pk), ME), ada)
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.send("NAME gravity-9", f"JOIN {room.plan.code}")
        assert await wire.until("Error CHANNEL_IS_FULL") == ["SUCCESS", "Error CHANNEL_IS_FULL"]


async def test_a_port_outlives_the_request_that_opened_it(host: Host, ada: Opener) -> None:
    """Within a request Django keeps a thread for its database calls, which is gone afterwards."""
    async with ThreadSensitiveContext():
        room = await host.places.open_room(FIELDS, (FIAR, ANYONE), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await bot.send(f"SEAT {tokens.new_token()}")
        assert (await bot.rest())[0].startswith("SEAT REFUSED unknown_token: ")
    await until(lambda: "gone" in {entry.code for entry in side(host, room, 0).hearing.entries})
    await stored(host)


# -- choices -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "variant", "clock", "words"),
    [
        (ME, "santorini-6x6", "none", ""),
        (ANYONE, "santorini-6x6", "none", ""),
        (RANDOM, "santorini-6x6", "none", ""),
        (FIAR, "connect-four-7x6", "5s", ""),
        (SideChoice("socket", protocol="native"), "santorini-5x5", "none", ""),
        (SideChoice("builtin", level="x"), "santorini-6x6", "none", "Received the level 'x'"),
        (FIAR, "connect-four-8x8", "5s", "fiar plays connect-four-7x6 only."),
        (FIAR, "connect-four-7x6", "none", "needs a clock"),
        (SideChoice("socket", protocol="x"), "connect-four-7x6", "5s", "Received the protocol 'x'"),
        (SideChoice("bot"), "connect-four-7x6", "5s", "Choose a bot."),
        (SideChoice("king"), "connect-four-7x6", "5s", "Received 'king'"),
    ],
)
def test_what_can_be_chosen(choice: SideChoice, variant: str, clock: str, words: str) -> None:
    said = why_not(variant, clock, choice)
    assert words in said if words else said == ""


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
        await host.places.open_room(FIELDS, (ME, chosen), ada)
    assert why.value.code == code and host.lobby.rooms == {}


async def test_a_side_is_changed_until_the_series_begins(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await until(lambda: bool(side(host, room, 0)._sessions))
        host.places.lobby.rooms[room.plan.code.upper()].pause.cancel()
        gone = side(host, room, 0)
        if not room.begun:
            room = await host.places.change(room, 0, SideChoice("builtin", level="random"), ada)
            assert gone.closed and room.sides[0] is not None and room.sides[0].setup.kind == "builtin"
            assert await bot.rest() == ["SEAT REFUSED place_kept: This seat is kept for somebody else now."]
    with pytest.raises(Refusal, match="The series has begun"):
        await until(lambda: room.begun)
        await host.places.change(room, 0, FIAR, ada)


async def test_a_bot_by_its_code_and_a_built_in_player_later(host: Host, opened: Opens, ada: Opener) -> None:
    fields = {**FIELDS, "private": True}
    room = await host.places.open_room(fields, (SideChoice("socket", protocol="droidcon"), ANYONE), ada)
    async with Droidcon.to(await opened("droidcon")) as bot:
        await bot.enter("gravity", room.plan.code)
        await until(lambda: room.sides[0] is not None)
        heard = [entry.code for entry in side(host, room, 0).hearing.entries]
        assert heard == ["open", "connected", "first_line", "ready"]
        await host.places.change(room, 1, RANDOM, ada)
        assert await bot.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]


async def test_only_the_opener_may_change_it(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (ME, ANYONE), ada)
    assert await host.places.may_change(room, ada.setup.player)
    assert not await host.places.may_change(room, None)
    assert not await host.places.may_change(room, 99)


async def test_what_is_planned_besides_reaches_the_room(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (ME, ANYONE), None, plan={"break_s": 0.0})
    assert room.plan.break_s == 0.0 and room.sides.are_free
