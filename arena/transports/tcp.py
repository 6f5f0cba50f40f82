"""TCP: one connection of a listening port, on `asyncio.Protocol` (streams cost twice the CPU at 100 connections)."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import cast

from arena.transports import CLOSE_S, WRITE_LIMIT, Receiver, Transport

# A peer that vanished without a word is found within 15 + 3 * 5 seconds.
KEEPALIVE = ((socket.TCP_KEEPIDLE, 15), (socket.TCP_KEEPINTVL, 5), (socket.TCP_KEEPCNT, 3))


async def listen(host: str, port: int, make_receiver: Callable[[Transport], Receiver]) -> asyncio.Server:
    """A server on `host` and `port` (0: any free one) that asks `make_receiver` for each connection.

    Raises OSError where the port is taken or the address is not ours.
    """
    return await asyncio.get_running_loop().create_server(lambda: TcpTransport(make_receiver), host, port)


class TcpTransport(asyncio.Protocol):
    """One accepted connection."""

    def __init__(self, make_receiver: Callable[[Transport], Receiver]) -> None:
        self._make_receiver = make_receiver
        self._reason = ""
        self._closing = False
        self._peer_finished = False
        self._lost = False
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def peer(self) -> str:
        """`192.0.2.1:5123`, `[2001:db8::1]:5123`."""
        host, port = self._address
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def is_closing(self) -> bool:
        return self._closing

    def write(self, data: bytes) -> None:
        if self._closing or self._tcp.is_closing():
            return
        self._tcp.write(data)
        waiting = self._tcp.get_write_buffer_size()
        if waiting > WRITE_LIMIT:
            self._drop(f"the peer does not read: {waiting} bytes wait unsent")

    def close(self) -> None:
        """End our side, then read to the peer's end: closing over unread bytes is a reset that eats our last words."""
        if self._closing or self._tcp.is_closing():
            return
        self._closing = True
        self._reason = "closed"
        self._deadline = asyncio.get_running_loop().call_later(CLOSE_S, self._tcp.abort)
        if self._peer_finished:
            self._tcp.close()
            return
        try:
            self._tcp.write_eof()
        except OSError:
            # The peer has reset the connection, and asyncio has not read of it yet.
            self._tcp.abort()
        self._tcp.resume_reading()

    def abort(self) -> None:
        self._drop("aborted")

    def pause_reading(self) -> None:
        if not self._closing and not self._peer_finished:
            self._tcp.pause_reading()

    def resume_reading(self) -> None:
        if not self._peer_finished:
            self._tcp.resume_reading()

    def _drop(self, reason: str) -> None:
        if self._lost:
            return
        self._closing = True
        self._reason = self._reason or reason
        self._tcp.abort()

    # -- called by asyncio ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._tcp = cast(asyncio.Transport, transport)
        self._address = transport.get_extra_info("peername", ("unknown", 0))[:2]
        _keep_alive(transport.get_extra_info("socket"))
        self._receiver = self._make_receiver(self)

    def data_received(self, data: bytes) -> None:
        if not self._closing:
            self._receiver.data_received(data, time.monotonic())

    def eof_received(self) -> bool:
        """True keeps our own side open: a bot may end its side and still read."""
        self._peer_finished = True
        if self._closing:
            return False
        self._receiver.eof_received()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._closing = self._lost = True
        self._receiver.connection_lost(self._reason or (str(error) if error else "the peer has closed"))


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in KEEPALIVE:
        connection.setsockopt(socket.IPPROTO_TCP, option, value)
