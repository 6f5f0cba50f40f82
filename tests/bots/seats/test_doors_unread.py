"""A bot that never reads, on the smallest buffers that a socket can have."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arena.bots.failure.failure import failures
from arena.host import Host
from arena.play.flood import LINES
from arena.transports import WRITE_LIMIT
from tests.bots.conftest import Opens
from tests.bots.seats.test_doors_native import hello, play_on, said, say
from tests.kit.clients import Wire
from tests.kit.until import until

# Its refusal takes more than 500 bytes, because none of these is text.
LINE = b"\xff" * 100 + b"\n"


@asynccontextmanager
async def unread(port: int) -> AsyncIterator[Wire]:
    """A connection that takes in next to nothing unless it is read."""
    small = socket.socket()
    small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    small.setblocking(False)
    await asyncio.get_running_loop().sock_connect(small, ("127.0.0.1", port))
    wire = Wire(*await asyncio.open_connection(sock=small))
    try:
        yield wire
    finally:
        await wire.close()


async def test_one_that_reads_nothing_is_cut_off_and_told_why_and_nobody_waits_for_it(
    host: Host, opened: Opens
) -> None:
    port = await opened("native", return_s=0.05)
    listener = host.doors["native"]._server
    assert listener is not None
    for listening in listener.sockets:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # each connection inherits it
    async with unread(port) as deaf, Wire.to(port) as bob, Wire.to(port) as one, Wire.to(port) as two:
        await deaf.send('{"type":"hello","name":"deaf","version":1}', '{"type":"queue","variant":"expanding-nim"}')
        await until(lambda: len(host.lobby.rooms) == 1)
        await hello(bob, "bob")
        await say(bob, type="queue", variant="expanding-nim")
        assert (await said(bob, "seat"))["opponent"] == "deaf"
        (room,) = host.lobby.rooms.values()
        await until(lambda: room.live is not None and room.live.state.phase == "running")
        live = room.live
        assert live is not None
        lines = int(LINES.at_once) - 10
        assert lines * 500 > WRITE_LIMIT
        await deaf.send_bytes(LINE * lines)
        for bot in (one, two):
            await hello(bot, "anna")
            await say(bot, type="queue", variant="expanding-nim")
        assert [each["termination"] for each in await play_on(one, two)] == ["normal", "normal"]
        end = await said(bob, "end")
    assert (end["winner"], end["termination"]) == (1, "disconnect")
    await until(lambda: bool(failures(live.events)))
    (failure,) = failures(live.events)
    assert (failure.seat, failure.card.code) == (0, "does_not_read")
