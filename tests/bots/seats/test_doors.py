"""Bots on real sockets at the doors of a running host."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import repeat

import pytest

from arena.bots.seats import doors
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup
from arena.models import Match
from arena.models import Seat as SeatRow
from arena.protocols.answering import MOST_AHEAD
from arena.protocols.droidcon.adapter import Droidcon
from tests.bots.conftest import Opens
from tests.kit.clients import Droidcon as Bot
from tests.kit.clients import Wire, filling
from tests.kit.refereeing import moves_of
from tests.kit.until import until


async def match_of(host: Host, code: str) -> LiveMatch:
    """The running match of a room."""
    await until(lambda: (room := host.lobby.rooms.get(code.upper())) is not None and room.playing)
    room = host.lobby.rooms[code.upper()]
    await until(lambda: room.live is not None and room.live.state.phase == "running")
    assert room.live is not None
    return room.live


# -- droidcon ----------------------------------------------------------------------------------------------------------

# One plays column 0, the other column 1, so the first to move has four in a row at its fourth move.
WON_AS_FIRST = "NEW_GAME\nYOUR_MOVE\n" + "PUT {0}\nYOUR_MOVE\n" * 3 + "YOU_WON\n"
LOST_AS_SECOND = "NEW_GAME\n" + "PUT {0}\nYOUR_MOVE\n" * 3 + "PUT {0}\nYOU_LOST\n"


async def test_two_bots_play_four_rounds_byte_by_byte(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two:
        await one.enter("ada", "otter-42")
        await two.enter("bob", "Otter-42")
        await asyncio.gather(one.play(repeat(0).__next__), two.play(repeat(1).__next__))
    hello = "SUCCESS\nSUCCESS\n"
    assert one.heard.decode() == hello + ((WON_AS_FIRST + LOST_AS_SECOND) * 2).format(1)
    assert two.heard.decode() == hello + ((LOST_AS_SECOND + WON_AS_FIRST) * 2).format(0)
    rows = [row async for row in Match.objects.order_by("round").select_related("room")]
    assert [(row.round, row.winner, row.termination, row.plies) for row in rows] == [
        (number, 0, "normal", 7) for number in (1, 2, 3, 4)
    ]
    assert {row.room and row.room.shown_code for row in rows} == {"otter-42"}


async def test_two_instances_of_one_bot_test_themselves_and_again_in_the_same_channel(
    host: Host, opened: Opens
) -> None:
    port = await opened("droidcon")
    for _ in range(2):
        async with Bot.to(port) as one, Bot.to(port) as two:
            await one.enter("TEST", "lab")
            await two.enter("test", "LAB")
            await asyncio.gather(one.play(repeat(0).__next__), two.play(repeat(1).__next__))
            assert one.heard.endswith(LOST_AS_SECOND.format(1).encode())
            assert two.heard.endswith(WON_AS_FIRST.format(0).encode())
    rows = [row async for row in Match.objects.order_by("id")]
    assert [(row.series, row.round, row.termination, row.rated) for row in rows] == [
        (series, number, "normal", False) for series in (1, 2) for number in (1, 2, 3, 4)
    ]


async def test_a_third_bot_is_told_that_the_channel_is_full(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two, Bot.to(port) as three:
        await one.enter("ada", "a")
        await two.enter("bob", "a")
        await three.send("NAME cy", "JOIN A")
        assert await three.until("Error CHANNEL_IS_FULL") == ["SUCCESS", "Error CHANNEL_IS_FULL"]
        await three.enter("cy", "b")


async def test_a_join_glued_behind_a_refused_one_is_carried_out(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two, Bot.to(port) as three:
        await one.enter("ada", "a")
        await two.enter("bob", "a")
        await three.send("NAME cy", "JOIN A", "JOIN b")
        assert [await three.line() for _ in range(3)] == ["SUCCESS", "Error CHANNEL_IS_FULL", "SUCCESS"]


async def test_of_fifty_who_join_at_once_exactly_two_get_in(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(Bot.to(port)) for _ in range(50)]
        await asyncio.gather(*(bot.send(f"NAME b{n}", "JOIN a") for n, bot in enumerate(bots)))
        answers = [[await bot.line(), await bot.line()][1] for bot in bots]
    assert sorted(answers) == ["Error CHANNEL_IS_FULL"] * 48 + ["SUCCESS"] * 2


async def test_when_a_bot_vanishes_the_survivor_wins_after_the_grace(host: Host, opened: Opens) -> None:
    port = await opened("droidcon", return_s=2.0)
    async with Bot.to(port) as one:
        await one.enter("ada", "a")
        async with Bot.to(port) as two:
            await two.enter("bob", "a")
            assert await one.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]
            live = await match_of(host, "a")
        await until(lambda: not live.presence[1].here)
        assert not live.over
        assert await one.rest() == ["YOU_WON"]
    assert (live.state.termination, live.state.reason) == (
        "disconnect",
        "bob (unverified) did not come back within 2 s",
    )


async def test_who_is_back_by_its_name_in_a_round_has_lost_that_round_and_plays_the_next(
    host: Host, opened: Opens
) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one:
        await one.enter("ada", "a")
        async with Bot.to(port) as two:
            await two.enter("bob", "a")
            live = await match_of(host, "a")
        await until(lambda: not live.presence[1].here)
        async with Bot.to(port) as back:
            await back.enter("BOB", "A")
            await back.until("YOUR_MOVE")  # the second round is begun by the other side
            assert await one.until("YOU_WON") == ["NEW_GAME", "YOUR_MOVE", "YOU_WON"]
            assert await one.line() == "NEW_GAME"


async def test_between_rounds_a_name_keeps_its_seat(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as bot:
        await bot.enter("ada", "a")
        room = host.lobby.rooms["A"]
        room.plan = replace(room.plan, break_s=0.5)
        host.lobby.sit_down(room, SeatSetup("Teal Heron"))
        first = await match_of(host, "a")
        await host.referee.resign(first, 1)
        await bot.until("YOU_WON")
    await until(lambda: room.sides.is_away(0))
    async with Bot.to(port) as stranger, Bot.to(port) as back:
        await stranger.send("NAME cy", "JOIN a")
        assert (await stranger.until("Error CHANNEL_IS_FULL"))[0] == "SUCCESS"
        await back.enter("Ada", "a")
        assert await back.line() == "NEW_GAME"
    assert room.round == 2 and room is host.lobby.rooms["A"]


async def test_who_does_not_come_back_between_rounds_ends_the_series(host: Host, opened: Opens) -> None:
    port = await opened("droidcon", return_s=0.2)
    async with Bot.to(port) as bot:
        await bot.enter("ada", "a")
        room = host.lobby.rooms["A"]
        host.lobby.sit_down(room, SeatSetup("Teal Heron"))
        await host.referee.resign(await match_of(host, "a"), 1)
        await bot.until("YOU_WON")
    await until(lambda: room.over)
    assert room.series.score.rounds == "w"


async def test_a_person_sits_down_opposite_a_bot(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as bot:
        await bot.enter("ada", "a")
        room = host.lobby.rooms["A"]
        assert host.lobby.sit_down(room, SeatSetup("Teal Heron")) == 1
        await bot.until("YOUR_MOVE")
        await bot.send("PUT 3")
        live = await match_of(host, "a")
        await until(lambda: moves_of(live) == ["4"])
        await host.referee.play(live, 1, 2, "1")
        assert await bot.until("YOUR_MOVE") == ["PUT 0", "YOUR_MOVE"]
    kinds = [seat.kind async for seat in SeatRow.objects.filter(match=live.id).order_by("seat")]
    assert kinds == ["bot", "human"]


async def test_a_bot_that_calls_itself_test_is_not_offered(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as bot, Bot.to(port) as other:
        await bot.enter("Test", "a")
        assert host.lobby.open_rooms() == []
        await other.enter("ada", "b")
        assert [room.plan.code for room in host.lobby.open_rooms()] == ["b"]


# -- bots that name no room --------------------------------------------------------------------------------------------


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "OFFERED_AFTER_S", 0.05)


@pytest.mark.usefixtures("soon")
async def test_two_who_come_to_a_door_at_once_meet(host: Host, opened: Opens) -> None:
    port = await opened("fiar")
    async with Wire.to(port) as one, Wire.to(port) as two:
        await asyncio.gather(filling(one), filling(two))
    rows = [row async for row in Match.objects.all()]
    assert [(row.termination, row.plies) for row in rows] == [("normal", 7)]
    assert len(host.lobby.rooms) == 1


@pytest.mark.usefixtures("soon")
async def test_they_are_not_put_into_a_room_that_somebody_has_a_code_for(host: Host, opened: Opens) -> None:
    fiar, droidcon = await opened("fiar"), await opened("droidcon")
    async with Bot.to(droidcon) as bot, Wire.to(fiar):
        await bot.enter("ada", "a")
        await until(lambda: len(host.lobby.rooms) == 2)
        assert len(host.lobby.open_rooms()) == 2 and not host.hub.running()


@pytest.mark.usefixtures("soon")
async def test_a_person_sits_down_opposite_who_waits_at_a_door(host: Host, opened: Opens) -> None:
    port = await opened("fiar")
    async with Wire.to(port) as bot:
        await until(lambda: bool(host.lobby.open_rooms()))
        room = host.lobby.open_rooms()[0]
        host.lobby.sit_down(room, SeatSetup("Teal Heron"))
        assert await bot.line() == "@ " + "." * 42
    await until(lambda: room.over)
    assert room.live is not None and room.live.state.termination == "disconnect" and room.live.state.winner == 1


async def test_who_connects_first_begins_however_it_registers(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot whose name is answered is ready later than one whose name is not."""
    monkeypatch.setattr(doors, "OFFERED_AFTER_S", 0.5)
    port = await opened("santorini-json")
    async with Wire.to(port) as first, Wire.to(port) as second:
        await first.send('["join","ada"]')
        assert await first.line() == '"OK"'
        await second.send('"bob"')
        assert (await first.line(), await second.line()) == ('["new_game","bob"]', '["new_game","ada"]')
        await second.send('"OK"')
        await first.send('"OK"')
        assert await first.line() == '["place",[]]'


async def test_a_scanner_that_only_connects_is_offered_to_nobody(host: Host, opened: Opens) -> None:
    port = await opened("fiar")
    async with Wire.to(port):
        await until(lambda: len(host.doors["fiar"]._sessions) == 1)
        [session] = host.doors["fiar"]._sessions
    await session.released.wait()
    await until(lambda: not host.doors["fiar"]._meetings)
    assert host.lobby.rooms == {} and host.doors["fiar"]._unseated.total == 0


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "said", [b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n", b"\x16\x03\x01\x00\xa5\x01", b"SSH-2.0-x\r\n"]
)
async def test_who_speaks_of_the_web_is_sent_away_and_costs_no_bot_a_match(
    said: bytes, host: Host, opened: Opens
) -> None:
    port = await opened("fiar")
    async with Wire.to(port) as scanner:
        await scanner.send_bytes(said)
        async with Wire.to(port) as one, Wire.to(port) as two:
            await asyncio.gather(filling(one), filling(two))
        (refused,) = await scanner.rest()
    why = "Received the beginning of HTTP, TLS or SSH; this port is for bots that speak fiar."
    assert refused == f"SEAT REFUSED not_understood: {why}"
    assert [(row.termination, row.plies) async for row in Match.objects.all()] == [("normal", 7)]


@pytest.mark.parametrize(
    ("protocol", "body"),
    [("droidcon", "NAME x\nJOIN lab\n"), ("native", '{"type":"hello","name":"x"}\n{"type":"join","room":"lab"}\n')],
)
async def test_no_page_of_another_site_plays_through_the_browser_of_its_reader(
    protocol: str, body: str, host: Host, opened: Opens
) -> None:
    port = await opened(protocol)
    async with Wire.to(port) as browser:
        await browser.send_bytes(b"POST /" + b"a" * 100)  # the rest of a long address comes in another packet
        (refused,) = await browser.rest()
        await browser.send_bytes(f" HTTP/1.1\r\nHost: arena\r\n\r\n{body}".encode())
    why = f"Received the beginning of HTTP, TLS or SSH; this port is for bots that speak {protocol}."
    assert refused == f"SEAT REFUSED not_understood: {why}"
    assert host.lobby.rooms == {}


async def test_who_is_turned_away_for_its_token_is_not_waited_for(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "OFFERED_AFTER_S", 0.2)
    monkeypatch.setattr(doors, "SEAT_LINE_S", 3600)
    port = await opened("fiar")
    async with Wire.to(port) as bot:
        await bot.send("SEAT arn_" + "a" * 26)
        (refused,) = await bot.rest()
        assert refused.startswith("SEAT REFUSED unknown_token: ")
    await until(lambda: not host.doors["fiar"]._sessions and not host.doors["fiar"]._meetings)


async def test_who_never_ends_its_seat_line_is_sent_away_in_words(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "OFFERED_AFTER_S", 0.01)
    monkeypatch.setattr(doors, "SEAT_LINE_S", 0.01)
    port = await opened("fiar")
    async with Wire.to(port) as bot:
        await bot.send_bytes(b"SEAT arn_")
        (refused,) = await bot.rest()
        assert refused == "SEAT REFUSED not_understood: Received SEAT, and no end of its line within 0.01 s."


@pytest.mark.usefixtures("soon")
async def test_who_talks_while_it_waits_is_sent_away_and_its_seat_is_free(host: Host, opened: Opens) -> None:
    port = await opened("fiar")
    async with Wire.to(port) as bot:
        await until(lambda: bool(host.lobby.open_rooms()))
        await bot.send(*["is anybody there"] * (MOST_AHEAD + 1))
        (refused,) = await bot.rest()
        assert refused.startswith("SEAT REFUSED not_understood: Received is anybody there, expected at most 64 answers")
    await until(lambda: host.lobby.open_rooms() == [])


# -- crowds ------------------------------------------------------------------------------------------------------------


async def test_who_does_not_say_its_name_in_time_is_sent_away(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Droidcon, "ready_s", 0.1)
    port = await opened("droidcon")
    async with Wire.to(port) as silent, Wire.to(port) as half:
        await half.send_bytes(b"NAME a\nJOI")
        assert await silent.rest() == []
        assert await half.rest() == ["SUCCESS"]


async def test_a_flood_is_bounded(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Wire.to(port) as bot:
        await asyncio.gather(bot.send_bytes(b"hello\n" * 1_000_000), return_exceptions=True)
        assert len(await bot.rest()) <= 200
    await until(lambda: not host.doors["droidcon"]._sessions)


# -- the end -----------------------------------------------------------------------------------------------------------


async def test_a_door_that_closes_leaves_the_matches_as_they_are(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two:
        await one.enter("ada", "a")
        await two.enter("bob", "a")
        live = await match_of(host, "a")
        closing = asyncio.create_task(host.doors["droidcon"].close())
        assert await one.rest() in (["NEW_GAME", "YOUR_MOVE"], ["NEW_GAME"])
        await two.rest()
    await closing
    assert live.state.phase == "running"
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_port_that_cannot_be_had_is_named(host: Host) -> None:
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(OSError) as why:
        await host.open_doors("127.0.0.1", {"droidcon": port}, [])
    assert str(why.value) == (
        f"Cannot listen on 127.0.0.1:{port} for droidcon: Address already in use. "
        "Free it, or choose another with --door droidcon=PORT."
    )
    with pytest.raises(OSError) as why:
        await host.open_doors("192.0.2.1", {"droidcon": port}, [])
    assert str(why.value) == (
        f"Cannot listen on 192.0.2.1:{port} for droidcon: 192.0.2.1 is no address of this machine. "
        "Choose another with --bots-host ADDRESS."
    )
    server.close()
    await server.wait_closed()
