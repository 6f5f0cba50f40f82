"""The socket of a wire: rows as they come, for those who may read them."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Bot
from tests.kit.browsing import Person
from tests.kit.deadline import DEADLINE_S
from tests.web.match.test_wire import a_match, over, registered, staff
from tests.web.sockets.test_consumers import Socket, opened


def reading(person: Person, live: LiveMatch, have: int | None = None, seat: int = 1) -> Any:
    return opened(person, f"/ws/m/{live.id}/wire/{seat}/", have)


async def rows_until(socket: Socket, last: int) -> list[int]:
    """The numbers of the rows that come, up to this one."""
    numbers: list[int] = []
    while not numbers or numbers[-1] < last:
        text = await socket.text()
        if not text.startswith('<div id="hb"'):
            assert text.startswith('<div hx-swap-oob="beforeend:#wire-1"><li')
            numbers += [int(n) for n in re.findall(r'data-n="(\d+)"', text)]
    return numbers


async def test_staff_is_sent_each_row_once(host: Host) -> None:
    live, wire = await a_match(host)
    async with reading(await staff(), live) as socket:
        assert await rows_until(socket, 3) == [1, 2, 3]
        wire.sent(b"PUT 1\nYOUR_MOVE\n")
        wire.received(b"put 1\n", 0.0)
        assert await rows_until(socket, 6) == [4, 5, 6]
        assert "put 1" in socket.texts[-1]


async def test_a_page_that_has_rows_is_sent_those_behind_them(host: Host) -> None:
    live, _ = await a_match(host)
    async with reading(await staff(), live, have=2) as socket:
        assert await rows_until(socket, 3) == [3]


async def test_others_have_no_socket_on_a_private_wire(host: Host) -> None:
    live, _ = await a_match(host)
    for seat in (1, 0):
        async with reading(Person(), live, seat=seat) as socket:
            assert await socket.code() == 4404


async def test_who_may_no_longer_read_it_is_sent_nothing_more(host: Host) -> None:
    live, wire = await a_match(host, await registered(wire="public"))
    async with reading(Person(), live) as socket:
        await rows_until(socket, 3)
        await Bot.objects.aupdate(wire="owner")
        wire.received(b"secret\n", 0.0)
        async with asyncio.timeout(DEADLINE_S):  # heartbeats never end
            assert await socket.code() == 4404
    assert "secret" not in "".join(socket.texts)


async def test_after_the_end_the_socket_is_done(host: Host) -> None:
    live, wire = await a_match(host)
    async with reading(await staff(), live) as socket:
        await rows_until(socket, 3)
        wire.received(b"last words\n", 0.0)
        await over(host, live)
        assert await rows_until(socket, 4) == [4]
        assert await socket.code() == 1000


async def test_a_wire_is_not_written_to(host: Host) -> None:
    live, _ = await a_match(host)
    async with reading(await staff(), live) as socket:
        await rows_until(socket, 3)
        await socket.send(ply="1", move="4")
        assert "read, not written to" in await socket.text()
        assert live.state.position.ply == 0
