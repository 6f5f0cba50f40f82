"""Rooms whose sides were chosen, with bots on real sockets: their own ports, and tokens at the doors."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arena.bots import doors, tokens, waiting
from arena.bots.places import Choice, Opener, why_not
from arena.bots.waiting import Waiting
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.models import Match, Place, Player, Room
from arena.models import Seat as SeatRow
from arena.rooms import LiveRoom
from tests.bots.clients import Droidcon, Wire
from tests.bots.conftest import Opens
from tests.bots.registered import register
from tests.refereeing import until

FIELDS = {"variant": "connect-four-7x6", "clock": "5s"}
ME, ANYONE, FIAR = Choice("me"), Choice("anyone"), Choice("socket", protocol="fiar")
RANDOM = Choice("builtin", level="random")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "OFFERED_AFTER_S", 0.05)
    monkeypatch.setattr(waiting, "SEATED_AFTER_S", 0.05)


@pytest.fixture
async def ada(host: Host) -> Opener:
    player = await Player.objects.acreate(kind="person", name="Ada", slug="ada")
    return Opener(SeatSetup("Ada", player=player.pk, verified=True))


def side(host: Host, room: LiveRoom, number: int) -> Waiting:
    found = host.places.waiting(room.plan.code, number)
    assert found is not None
    return found


def port(host: Host, room: LiveRoom, number: int) -> int:
    found = side(host, room, number).port
    assert found is not None
    return found


async def kept(room: LiveRoom, number: int) -> Place:
    return await Place.objects.aget(room=room.plan.room, side=number)


async def stored(host: Host) -> None:
    """Wait until what became of the places is in their rows."""
    await asyncio.gather(*host.places._storing)


async def answers(wire: Wire, column: str) -> list[str]:
    """The same column again and again, to the end of the connection."""
    boards = []
    while line := await wire.line():
        boards.append(line)
        await wire.send(column)
    return boards


async def seats(match: str) -> list[tuple[str, bool, str]]:
    rows = SeatRow.objects.filter(match=match).order_by("seat")
    return [(row.name, row.verified, row.protocol) async for row in rows]


# -- a port for a seat -------------------------------------------------------------------------------------------------


async def test_a_bot_comes_in_at_its_port_and_plays_a_whole_match(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (FIAR, RANDOM), ada)
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


async def test_two_bots_on_two_ports_meet(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (FIAR, FIAR), ada)
    async with Wire.to(port(host, room, 1)) as second, Wire.to(port(host, room, 0)) as first:
        await asyncio.gather(answers(first, "1"), answers(second, "2"))
    [match] = [row async for row in Match.objects.all()]
    assert (match.winner, match.termination, match.plies) == (0, "normal", 7)


async def test_a_person_sits_opposite_and_the_choice_decides_who_begins(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
    assert [each is not None for each in room.sides] == [False, True]
    async with Wire.to(port(host, room, 0)) as bot:
        assert (await bot.line()).startswith("@ ")


async def test_a_second_connection_is_told_and_closed_and_the_first_one_stays(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (FIAR, ANYONE), ada)
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
    room = await host.places.open_room(FIELDS, (FIAR, ANYONE), ada)
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
    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
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
    assert live.id == room.live.id


async def test_santorini_is_told_of_its_match_a_moment_after_it_has_connected(host: Host, ada: Opener) -> None:
    fields = {"variant": "santorini-6x6", "clock": "30s"}
    room = await host.places.open_room(fields, (Choice("socket", protocol="santorini-json"), RANDOM), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await bot.line()
        assert bot.heard.startswith(b'["new_game",')


async def test_droidcon_may_name_any_channel_at_its_own_port(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (Choice("socket", protocol="droidcon"), RANDOM), ada)
    async with Droidcon.to(port(host, room, 0)) as bot:
        await bot.enter("gravity", "TEST")
        assert await bot.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]
    assert [entry.code for entry in side(host, room, 0).hearing.entries][:3] == ["open", "connected", "first_line"]


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
    assert host.doors["fiar"]._unseated.total() == 0


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
    room = await host.places.open_room(FIELDS, (Choice("bot", player=bot.pk), ME), ada)
    async with Wire.to(door) as wire:
        await wire.send(f"SEAT {token}")
        board = await wire.line()
        live = room.live
        assert live is not None
        new = await tokens.rotate(bot)
        assert await wire.rest() == []
    await until(lambda: not live.presence[0].here)
    async with Wire.to(door) as wire:
        await wire.send(f"SEAT {token}")
        assert (await wire.rest())[0].startswith("SEAT REFUSED unknown_token: ")
    async with Wire.to(door) as wire:
        await wire.send(f"SEAT {new}")
        assert await wire.line() == board
        await tokens.revoke(bot)
        assert await wire.rest() == []


async def test_a_place_that_is_kept_for_a_registered_bot_calls_it_from_the_lobby(
    host: Host, opened: Opens, ada: Opener
) -> None:
    bot, token = await register("gravity-9", "fiar")
    async with Wire.to(await opened("fiar")) as wire:
        await wire.send(f"SEAT {token}")
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        room = await host.places.open_room(FIELDS, (Choice("bot", player=bot.pk), ME), ada)
        assert (await wire.line()).startswith("@ ")
        assert host.lobby.open_rooms() == []
    assert room.live is not None and room.live.state.setup.seats[0].name == "gravity-9"


async def test_nobody_else_takes_a_place_that_is_kept_for_a_bot(host: Host, opened: Opens, ada: Opener) -> None:
    bot, _ = await register("gravity-9", "droidcon")
    room = await host.places.open_room(FIELDS, (Choice("bot", player=bot.pk), ME), ada)
    async with Droidcon.to(await opened("droidcon")) as wire:
        await wire.send("NAME gravity-9", f"JOIN {room.plan.code}")
        assert await wire.until("Error CHANNEL_IS_FULL") == ["SUCCESS", "Error CHANNEL_IS_FULL"]


# -- time, and ports that are gone -------------------------------------------------------------------------------------


async def test_an_address_expires_and_can_be_opened_again(host: Host, ada: Opener) -> None:
    host.places._expires = timedelta(seconds=0.1)
    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
    found = side(host, room, 0)
    number, token = port(host, room, 0), found.token
    await until(lambda: found.closed)
    assert [entry.code for entry in found.hearing.entries] == ["open", "expired"]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", number)
    await stored(host)
    with pytest.raises(Refusal):
        await tokens.find(token)
    host.places._expires = timedelta(minutes=15)
    again = await host.places.open_again(room, 0)
    assert again.token != token and again.expires is not None
    async with Wire.to(port(host, room, 0)) as bot:
        assert (await bot.line()).startswith("@ ")
    with pytest.raises(Refusal, match="series has begun|sits there"):
        await host.places.open_again(room, 0)


async def test_a_bot_that_is_there_does_not_expire(host: Host, ada: Opener) -> None:
    host.places._expires = timedelta(seconds=0.3)
    room = await host.places.open_room(FIELDS, (FIAR, ANYONE), ada)
    found = side(host, room, 0)
    async with Wire.to(port(host, room, 0)):
        await until(lambda: room.sides[0] is not None)
        assert found.expires is None
        found._expire()
        assert not found.closed
        await asyncio.sleep(0.3)
    await until(lambda: found.closed)
    assert found.hearing.entries[-1].code == "expired"


async def test_an_empty_pool_is_a_clear_refusal_and_makes_nothing(host: Host, ada: Opener) -> None:
    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    number = taken.sockets[0].getsockname()[1]
    host.places.pool._numbers = [number]
    with pytest.raises(Refusal, match=rf"All 1 ports for waiting bots \({number}-{number}\) are in use") as why:
        await host.places.open_room(FIELDS, (RANDOM, FIAR), ada)
    assert why.value.code == "no_port"
    assert host.lobby.rooms == {} and await Room.objects.acount() == 0
    taken.close()
    await taken.wait_closed()


# -- choices -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "variant", "clock", "words"),
    [
        (ME, "santorini-6x6", "none", ""),
        (ANYONE, "santorini-6x6", "none", ""),
        (RANDOM, "santorini-6x6", "none", ""),
        (FIAR, "connect-four-7x6", "5s", ""),
        (Choice("socket", protocol="native"), "santorini-5x5", "none", ""),
        (Choice("builtin", level="x"), "santorini-6x6", "none", "Received the level 'x'"),
        (FIAR, "connect-four-8x8", "5s", "fiar plays connect-four-7x6 only."),
        (FIAR, "connect-four-7x6", "none", "needs a clock"),
        (Choice("socket", protocol="x"), "connect-four-7x6", "5s", "Received the protocol 'x'"),
        (Choice("bot"), "connect-four-7x6", "5s", "Choose a bot."),
        (Choice("king"), "connect-four-7x6", "5s", "Received 'king'"),
    ],
)
def test_what_can_be_chosen(choice: Choice, variant: str, clock: str, words: str) -> None:
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
    chosen = Choice("bot" if fields else "command", player=bot.pk)
    with pytest.raises(Refusal) as why:
        await host.places.open_room(FIELDS, (ME, chosen), ada)
    assert why.value.code == code and host.lobby.rooms == {}


async def test_a_side_is_changed_until_the_series_begins(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await until(lambda: bool(side(host, room, 0)._sessions))
        host.places.lobby.rooms[room.plan.code.upper()].rest()
        gone = side(host, room, 0)
        if not room.begun:
            room = await host.places.change(room, 0, Choice("builtin", level="random"), ada)
            assert gone.closed and room.sides[0] is not None and room.sides[0].setup.kind == "builtin"
            assert await bot.rest() == []
    with pytest.raises(Refusal, match="The series has begun"):
        await until(lambda: room.begun)
        await host.places.change(room, 0, FIAR, ada)


async def test_a_bot_by_its_code_and_a_built_in_player_later(host: Host, opened: Opens, ada: Opener) -> None:
    fields = {**FIELDS, "private": True}
    room = await host.places.open_room(fields, (Choice("socket", protocol="droidcon"), ANYONE), ada)
    async with Droidcon.to(await opened("droidcon")) as bot:
        await bot.enter("gravity", room.plan.code)
        await until(lambda: side(host, room, 0).is_used)
        assert [entry.code for entry in side(host, room, 0).hearing.entries] == ["open", "connected", "ready"]
        await host.places.change(room, 1, RANDOM, ada)
        assert await bot.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]


async def test_only_the_opener_may_change_it(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (ME, ANYONE), ada)
    assert await host.places.may_change(room, ada.setup.player)
    assert not await host.places.may_change(room, None)
    assert not await host.places.may_change(room, 99)


async def test_what_is_planned_besides_reaches_the_room(host: Host, ada: Opener) -> None:
    room = await host.places.open_room(FIELDS, (ME, ANYONE), None, plan={"break_s": 0.0})
    assert room.plan.break_s == 0.0 and room.sides == [None, None]


# -- after a restart ---------------------------------------------------------------------------------------------------


async def test_a_promise_that_has_not_expired_is_kept_by_the_next_host(host: Host, ada: Opener) -> None:
    from tests.hosting import serving

    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
    number, token = port(host, room, 0), side(host, room, 0).token
    await host.stop()
    async with serving() as after:
        found = after.places.waiting(room.plan.code, 0)
        assert found is not None and (found.port, found.token) == (number, "")
        async with Wire.to(number) as bot:
            await bot.send(f"SEAT {token}")
            assert (await bot.line()).startswith("@ ")


async def test_a_bot_on_its_port_goes_on_in_mid_game_after_a_restart(host: Host, ada: Opener) -> None:
    from tests.hosting import serving

    room = await host.places.open_room(FIELDS, (FIAR, RANDOM), ada)
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
        assert live is not None and live.state.phase == "running"


async def test_a_promise_that_has_expired_meanwhile_is_not_kept(host: Host, ada: Opener) -> None:
    from tests.hosting import serving

    room = await host.places.open_room(FIELDS, (FIAR, ME), ada)
    await host.stop()
    await Place.objects.filter(room=room.plan.room, side=0).aupdate(expires=datetime.now(UTC))
    async with serving() as after:
        assert after.places.waiting(room.plan.code, 0) is None
    assert (await kept(room, 0)).port is None
