"""Names and channels of any bytes, and what stands behind a JOIN, on real sockets at the door."""

from __future__ import annotations

import asyncio
import html

import pytest
from django.test import AsyncClient

from arena.bots.seats import channels
from arena.host import Host
from arena.models import Match, Room
from arena.models import Seat as SeatRow
from tests.bots.conftest import Opens
from tests.kit.clients import Droidcon as Bot
from tests.kit.until import until

FIELDS = {"variant": "connect-four-7x6", "clock": "30s", "rounds": 4}
OFFENDER = b"SUCCESS\nSUCCESS\nNEW_GAME\nError NOT_YOUR_TURN\nYOU_LOST\n"
HONEST = b"SUCCESS\nSUCCESS\nNEW_GAME\nYOUR_MOVE\nPUT 3\nYOU_WON\n"


async def login(bot: Bot, name: bytes, channel: bytes, behind: bytes = b"") -> None:
    await bot.send_bytes(b"NAME %b\nJOIN %b\n%b" % (name, channel, behind))
    assert [await bot.line(), await bot.line()] == ["SUCCESS", "SUCCESS"]


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("kraków".encode(), "KRAKÓW".encode(), "kraków"),
        (b"room:7", b"ROOM:7", "room:7"),
        (b"new", b"New", "new"),
        (b"\xc3\x28", b"\xc3\x28", "\ufffd("),
        (b"<script>alert(1)</script>", b"<SCRIPT>alert(1)</script>", "<script>alert(1)</script>"),
        (b"a" * 507, b"A" * 507, "a" * 507),
        ("ﬁ/s".encode(), b"FI/S", "ﬁ/s"),
        ("\u2800".encode(), "\u2800".encode(), r"'\u2800'"),
    ],
)
async def test_any_channel_is_a_room_with_a_code_of_its_own(
    host: Host, opened: Opens, async_client: AsyncClient, first: bytes, second: bytes, title: str
) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two:
        await login(one, b"ada", first)
        await login(two, b"bob", second)
        assert await one.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]
        room = await Room.objects.aget()
        assert room.title == title
        page = await async_client.get(f"/r/{room.shown_code}/")
        assert page.status_code == 200
        assert f"<bdi>{html.escape(title)}</bdi>" in page.content.decode()


async def test_two_channels_that_differ_in_bytes_are_two_rooms_though_they_look_alike(
    host: Host, opened: Opens
) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two:
        await login(one, b"ada", b"\xff")
        await login(two, b"bob", b"\xfe")
        assert [room.title async for room in Room.objects.order_by("pk")] == ["\ufffd", "\ufffd"]


async def test_a_channel_is_found_again_by_any_spelling_and_by_the_code_of_its_room(host: Host) -> None:
    room = await channels.find_or_open(host.lobby, "Kraków", FIELDS, "")
    for channel in ("KRAKÓW", "kraków", room.plan.code):
        assert await channels.find(host.lobby, channel, "") is room
    assert await channels.find(host.lobby, "krakow", "") is None


async def test_of_two_who_open_a_channel_at_once_one_does_and_both_are_there(host: Host) -> None:
    opening = (channels.find_or_open(host.lobby, "kraków", FIELDS, "") for _ in range(5))
    rooms = await asyncio.gather(*opening)
    assert len({id(room) for room in rooms}) == 1
    assert await Room.objects.acount() == 1


async def test_a_channel_whose_capitals_are_a_code_is_the_room_of_that_code(host: Host) -> None:
    room = await channels.find_or_open(host.lobby, "ß", FIELDS, "")
    assert room.plan.code == "SS"
    assert await channels.find(host.lobby, "ss", "") is room


async def test_names_of_any_bytes_and_none_are_shown_as_what_they_are(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    names = {"Żółw".encode(): "Żółw", b"\xffka": "\ufffdka", b"": "droidcon", b"<i>x</i>": "ixi"}
    for n, (name, shown) in enumerate(names.items()):
        async with Bot.to(port) as one, Bot.to(port) as two:
            await login(one, name, b"c%d" % n)
            await login(two, b"bob", b"c%d" % n)
            await one.until("YOUR_MOVE")
            seats = SeatRow.objects.filter(match__room__code=f"C{n}").order_by("seat")
            assert [seat.name async for seat in seats] == [f"{shown} (unverified)", "bob (unverified)"]


async def test_a_put_glued_to_the_join_that_fills_the_channel_is_one_out_of_turn_in_a_running_round(
    host: Host, opened: Opens
) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two:
        await login(one, b"ada", b"x")
        await login(two, b"bob", b"x", b"PUT 3\n")
        await asyncio.gather(one.hear(), two.hear())
    assert (one.heard, two.heard) == (HONEST, OFFENDER)
    match = await Match.objects.aget()
    assert (match.winner, match.termination) == (0, "out_of_turn")


async def test_a_put_glued_to_the_join_of_who_is_alone_is_punished_and_the_next_one_waits(
    host: Host, opened: Opens
) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one:
        await login(one, b"ada", b"x", b"PUT 3\n")
        assert await one.rest() == ["Error NOT_YOUR_TURN", "YOU_LOST"]
    await until(lambda: host.lobby.rooms["X"].sides.are_free)
    async with Bot.to(port) as one, Bot.to(port) as two:
        await login(one, b"ada", b"x")
        await login(two, b"bob", b"x")
        assert await one.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]


async def test_a_last_put_without_its_line_end_counts(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Bot.to(port) as one, Bot.to(port) as two:
        await login(one, b"ada", b"x")
        await login(two, b"bob", b"x")
        await one.until("YOUR_MOVE")
        await one.send_bytes(b"PUT 3")
        one.finish()
        assert await two.until("YOUR_MOVE") == ["NEW_GAME", "PUT 3", "YOUR_MOVE"]
