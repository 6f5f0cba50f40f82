"""TCP on real sockets: what a bot's author would see when both sides misbehave."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from arena.transports import WRITE_LIMIT, Receiver, Transport
from arena.transports.tcp import MOST_DROPPED, TcpTransport
from tests.kit.deadline import DEADLINE_S
from tests.kit.listening import listen
from tests.kit.ports import free_port
from tests.kit.recorder import Recorder, open_files
from tests.kit.until import until


class Door:
    """A listening port, and who has come."""

    def __init__(self, kind: type[Recorder] = Recorder) -> None:
        self.kind = kind
        self.arrived: asyncio.Queue[Recorder] = asyncio.Queue()

    def make(self, transport: Transport) -> Receiver:
        recorder = self.kind(transport)
        self.arrived.put_nowait(recorder)
        return recorder

    async def open(self) -> None:
        self.server = await listen("127.0.0.1", 0, self.make)
        self.port: int = self.server.sockets[0].getsockname()[1]

    async def connect(self) -> tuple[socket.socket, Recorder]:
        """A bot's end, and ours."""
        bot = socket.socket()
        bot.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(bot, ("127.0.0.1", self.port))
        async with asyncio.timeout(DEADLINE_S):
            return bot, await self.arrived.get()


@asynccontextmanager
async def door(kind: type[Recorder] = Recorder) -> AsyncIterator[Door]:
    opened = Door(kind)
    await opened.open()
    try:
        yield opened
    finally:
        opened.server.close()
        await opened.server.wait_closed()


async def send(bot: socket.socket, data: bytes) -> None:
    async with asyncio.timeout(DEADLINE_S):
        await asyncio.get_running_loop().sock_sendall(bot, data)


async def read_all(bot: socket.socket) -> bytes:
    """What comes until our end of the connection is closed."""
    data = b""
    async with asyncio.timeout(DEADLINE_S):
        while piece := await asyncio.get_running_loop().sock_recv(bot, 65536):
            data += piece
    return data


def reset(bot: socket.socket) -> None:
    bot.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    bot.close()


async def test_it_carries_bytes_both_ways() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        before = time.monotonic()
        await send(bot, b"NAME \xff\x00\r\n")
        await ours.until_data(b"NAME \xff\x00\r\n")
        assert before <= ours.stamps[0] <= time.monotonic()
        ours.transport.write(b"SUCCESS\n")
        ours.transport.close()
        assert await read_all(bot) == b"SUCCESS\n"
        bot.close()
        assert await ours.until_lost() == "closed"


async def test_it_names_its_peer() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        assert ours.transport.peer == f"127.0.0.1:{bot.getsockname()[1]}"
        ours.transport.abort()
        await ours.until_lost()
        bot.close()


async def test_localhost_may_be_either_address() -> None:
    """A bot that tries only the first address of a name gets in whichever that is."""
    async with door() as opened:
        with socket.create_connection(("::1", opened.port), timeout=DEADLINE_S) as bot:
            ours = await opened.arrived.get()
            assert ours.transport.peer == f"[::1]:{bot.getsockname()[1]}"
            ours.transport.abort()
            await ours.until_lost()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("::1", opened.port))


async def test_all_addresses_are_those_of_both_kinds() -> None:
    port = free_port()
    async with await listen("::", port, Recorder):
        for host in ("127.0.0.1", "::1"):
            socket.create_connection((host, port)).close()


async def test_small_writes_leave_at_once_and_a_vanished_peer_is_noticed() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        assert isinstance(ours.transport, TcpTransport)
        connection = ours.transport._tcp.get_extra_info("socket")
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 15
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) == 5
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT) == 3
        ours.transport.abort()
        bot.close()
        await ours.until_lost()


async def test_a_bot_that_has_ended_its_side_can_still_read() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        await send(bot, b"PUT 3\n")
        bot.shutdown(socket.SHUT_WR)
        await ours.until(lambda: ours.ended)
        assert bytes(ours.data) == b"PUT 3\n"
        assert ours.lost is None
        ours.transport.pause_reading()
        ours.transport.resume_reading()
        ours.transport.write(b"YOU_WON\n")
        ours.transport.close()
        assert await read_all(bot) == b"YOU_WON\n"
        await ours.until_lost()
        bot.close()


async def test_a_bot_that_has_ended_its_side_and_goes_is_noticed_though_nothing_is_said_to_it() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        bot.shutdown(socket.SHUT_WR)
        await ours.until(lambda: ours.ended)
        assert ours.lost is None
        reset(bot)
        assert await ours.until_lost() == "the peer has closed"


async def test_last_words_arrive_though_the_bot_talks_on() -> None:
    """Closing with the bot's bytes unread would be a reset, and the kernel would throw our last line away."""
    async with door() as opened:
        bot, ours = await opened.connect()
        await send(bot, b"x" * 100_000)
        await ours.until(lambda: len(ours.data) == 100_000)
        ours.transport.write(b"YOU_LOST\n")
        ours.transport.close()
        with suppress(ConnectionError):
            await send(bot, b"PUT 3\n" * 1000)
        assert await read_all(bot) == b"YOU_LOST\n"
        bot.close()
        await ours.until_lost()
        assert len(ours.data) == 100_000, "nothing is received after close"


async def test_a_bot_that_talks_on_and_on_after_our_last_words_is_cut_off() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        ours.transport.write(b"YOU_LOST\n")
        ours.transport.close()
        with pytest.raises(ConnectionError):
            await send(bot, b"x" * (64 << 20))
        await ours.until_lost()
        assert isinstance(ours.transport, TcpTransport)
        assert ours.transport._dropped <= 2 * MOST_DROPPED
        bot.close()


async def test_nothing_is_read_while_paused() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        ours.transport.pause_reading()
        await send(bot, b"early\n")
        ours.transport.write(b"go\n")
        assert await asyncio.get_running_loop().sock_recv(bot, 10) == b"go\n"
        assert not ours.data
        ours.transport.resume_reading()
        await ours.until_data(b"early\n")
        ours.transport.abort()
        await ours.until_lost()
        bot.close()


async def test_a_paused_connection_can_be_closed() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        ours.transport.pause_reading()
        await send(bot, b"unread\n")
        ours.transport.write(b"bye\n")
        ours.transport.close()
        assert await read_all(bot) == b"bye\n"
        bot.close()
        assert await ours.until_lost() == "closed"


async def test_a_bot_that_does_not_read_is_dropped() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        written = 0
        while not ours.transport.is_closing and written < 1 << 27:
            ours.transport.write(b"x" * 10_000)
            written += 10_000
        assert "does not read" in await ours.until_lost()
        bot.close()


async def test_the_kernel_keeps_little_for_a_bot_that_does_not_read() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        assert isinstance(ours.transport, TcpTransport)
        connection = ours.transport._tcp.get_extra_info("socket")
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 2 * WRITE_LIMIT  # Linux doubles it
        ours.transport.abort()
        await ours.until_lost()
        bot.close()


async def test_closing_is_bounded_when_the_bot_never_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.transports.tcp.CLOSE_S", 0.1)
    async with door() as opened:
        bot, ours = await opened.connect()
        ours.transport.close()
        assert await read_all(bot) == b""
        assert await ours.until_lost() == "closed"
        bot.close()


async def test_abort_ends_it_at_once() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        ours.transport.abort()
        assert await ours.until_lost() == "aborted"
        bot.close()


async def test_a_reset_is_the_end_and_names_itself() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        reset(bot)
        assert await ours.until_lost() == "Connection reset by peer"


async def test_a_connection_that_is_reset_before_it_is_taken_ends_like_any_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As a scanner of ports does it; its address is known to who counts connections."""
    async with door() as opened:
        bot = socket.create_connection(("127.0.0.1", opened.port), timeout=DEADLINE_S)
        name = bot.getsockname()
        reset(bot)
        async with asyncio.timeout(DEADLINE_S):
            ours = await opened.arrived.get()
        await ours.until_lost()
        assert ours.transport.peer == f"127.0.0.1:{name[1]}"
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_calls_after_the_end_do_nothing() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        reset(bot)
        await ours.until_lost()
        ours.transport.write(b"hello")
        ours.transport.pause_reading()
        ours.transport.resume_reading()
        ours.transport.close()
        ours.transport.abort()
        assert ours.transport.is_closing


async def test_writing_to_a_reset_connection_does_nothing() -> None:
    async with door() as opened:
        bot, ours = await opened.connect()
        ours.transport.pause_reading()
        reset(bot)
        for _ in range(10):
            ours.transport.write(b"hello")
        ours.transport.close()
        await ours.until_lost()


async def test_a_taken_port_is_an_error_that_says_so() -> None:
    async with door() as opened:
        with pytest.raises(OSError, match="[Aa]ddress already in use"):
            await listen("127.0.0.1", opened.port, Recorder)


async def test_a_receiver_that_fails_costs_its_own_connection_only(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Recorder):
        def data_received(self, data: bytes, stamp: float) -> None:
            raise RuntimeError("a fault of ours")

    async with door(Failing) as opened:
        bot, ours = await opened.connect()
        with caplog.at_level(logging.ERROR, logger="asyncio"):
            await send(bot, b"x")
            await ours.until_lost()
        assert "a fault of ours" in caplog.text
        bot.close()
        bot, ours = await opened.connect()
        ours.transport.abort()
        await ours.until_lost()
        bot.close()


class Counting:
    """A gate that lets everybody in."""

    def __init__(self) -> None:
        self.here = 0

    def enter(self, transport: Transport) -> None:
        self.here += 1

    def leave(self, transport: Transport) -> None:
        self.here -= 1


async def test_a_receiver_that_fails_at_its_end_is_counted_no_longer() -> None:
    class Failing(Recorder):
        def connection_lost(self, reason: str) -> None:
            super().connection_lost(reason)
            raise RuntimeError("a fault of ours")

    opened, gate = Door(Failing), Counting()
    async with await listen("127.0.0.1", 0, opened.make, gate) as opened.server:
        opened.port = opened.server.sockets[0].getsockname()[1]
        bot, ours = await opened.connect()
        assert gate.here == 1
        bot.close()
        ours.transport.close()
        await ours.until_lost()
        await until(lambda: gate.here == 0)


async def test_who_cannot_be_received_is_cut_off_and_counted_no_longer() -> None:
    def fails(transport: Transport) -> Receiver:
        raise RuntimeError("a fault of ours")

    gate = Counting()
    async with await listen("127.0.0.1", 0, fails, gate) as listening:
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        async with asyncio.timeout(DEADLINE_S):
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
        writer.close()
        await until(lambda: gate.here == 0)


@pytest.mark.parametrize("turns", [1, 2, 3])
async def test_who_is_being_taken_as_the_port_closes_is_not_left_behind(turns: int) -> None:
    """Each turn of the loop is another step of taking a connection: it is accepted, wrapped and received."""
    async with door() as opened:
        with socket.create_connection(("127.0.0.1", opened.port), DEADLINE_S) as bot:
            for _ in range(turns):
                await asyncio.sleep(0)
            received = not opened.arrived.empty()
            opened.server.close()
            if not received:
                with suppress(ConnectionResetError):
                    assert await asyncio.to_thread(bot.recv, 1) == b""
                assert opened.arrived.empty(), "who closed the port and all its connections would not know of this one"


async def test_nothing_is_left_after_many_connections() -> None:
    async with door() as opened:
        before = open_files()
        for i in range(30):
            bot, ours = await opened.connect()
            ours.transport.write(b"hello\n")
            (ours.transport.close, ours.transport.abort)[i % 2]()
            bot.close()
            await ours.until_lost()
        # asyncio closes the socket right after it has said so.
        await asyncio.sleep(0)
        assert open_files() == before
