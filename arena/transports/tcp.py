"""TCP: one connection of a listening port, on a protocol of asyncio (streams cost twice the CPU at 100 connections)."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import cast

from arena.common import descriptors
from arena.transports import CLOSE_S, WRITE_LIMIT, Gate, Receiver, Transport, addresses
from arena.transports.unread import has_unread

log = logging.getLogger(__name__)

READ_SIZE = 64 * 1024
# What is accepted in one turn of the loop; what waits meanwhile does so in the kernel.
ACCEPTED_AT_ONCE, WAITING = 32, 128
# Where there is no file descriptor to accept with, so much later.
AGAIN_S = 0.5
# After our end what a peer sends is read and dropped, so that our last words reach it: so much, and then it is cut off.
MOST_DROPPED = 256 * 1024
# What to listen on for bots that mean this machine, whichever of its addresses `localhost` is to them.
INCLUDE_OURS = ("127.0.0.1", "localhost", "0.0.0.0")
# A peer that vanished without a word is found within 15 + 3 * 5 seconds.
KEEPALIVE = ((socket.TCP_KEEPIDLE, 15), (socket.TCP_KEEPINTVL, 5), (socket.TCP_KEEPCNT, 3))


async def reserve(
    host: str, port: int, make_receiver: Callable[[Transport], Receiver], gate: Gate | None = None
) -> Listener:
    """Bind `host` and `port` (0: any free one); who connects waits until `start_serving`, and then `make_receiver` is
    asked for each connection that `gate` lets in.

    A host that includes this machine's 127.0.0.1 includes its ::1 as well, and `::` every address of either kind.
    Raises OSError if the port is taken or the address is not ours.
    """
    loop = asyncio.get_running_loop()
    hosts = ("0.0.0.0", "::") if host == "::" else host
    try:
        bound = await loop.create_server(asyncio.Protocol, hosts, port, start_serving=False)
    except OSError as error:
        if error.errno is None:  # since Python 3.12, if no address was one of this machine
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL)) from None
        raise
    listener = Listener(bound, make_receiver, gate)
    try:
        listener.reserve()
        if host in INCLUDE_OURS:
            listener.reserve_beside()
    except OSError:
        listener.close()
        raise
    return listener


class Listener:
    """A port that is listened on. asyncio's own server accepts a hundred connections before it looks at one, and where
    there is no file descriptor for them tells its log a hundred times; here each is looked at before the next.
    """

    def __init__(
        self, bound: asyncio.Server, make_receiver: Callable[[Transport], Receiver], gate: Gate | None = None
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._bound = bound
        self._closed = False
        self._made = partial(TcpTransport, make_receiver=make_receiver, gate=gate, is_late=lambda: self._closed)
        self._taking: set[asyncio.Task[object]] = set()
        self._again: set[asyncio.TimerHandle] = set()
        self.sockets = [socket.socket(fileno=os.dup(each.fileno())) for each in bound.sockets]

    def reserve(self) -> None:
        """Let them wait. A port that is bound and not listened on could be taken by another yet: then OSError."""
        for each in self.sockets:
            _prepare(each)
            each.listen(WAITING)

    def reserve_beside(self) -> None:
        """Let those wait who come to our own other address."""
        port = self.sockets[0].getsockname()[1]
        for each in addresses.beside(port, WAITING):
            self.sockets.append(socket.socket(fileno=each.detach()))
            _prepare(self.sockets[-1])

    def start_serving(self) -> None:
        """Take who waits and who comes."""
        for each in self.sockets:
            self._loop.add_reader(each, self._accept, each)

    def close(self) -> None:
        """Listen no more, also when it is said twice. Connections stay, but for one that is just being taken: whoever
        closes its connections with the port would not see it.
        """
        self._closed = True
        for timer in self._again:
            timer.cancel()
        for each in self.sockets:
            if each.fileno() >= 0:
                self._loop.remove_reader(each)
                each.close()
        self._bound.close()

    async def wait_closed(self) -> None:
        await self._bound.wait_closed()

    async def __aenter__(self) -> Listener:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()
        await self.wait_closed()

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause(listening, error)
                return
            connection.setblocking(False)
            if descriptors.admit():
                self._take(connection, address[:2])
            else:
                with connection, suppress(OSError):
                    connection.send(f"{descriptors.WORDS}\n".encode())

    def _take(self, connection: socket.socket, address: tuple[str, int]) -> None:
        taking = self._loop.create_task(self._loop.connect_accepted_socket(partial(self._made, address), connection))
        self._taking.add(taking)
        taking.add_done_callback(self._taking.discard)

    def _pause(self, listening: socket.socket, error: OSError) -> None:
        """The kernel would say again and again that somebody waits."""
        if not descriptors.exhausted(error):
            log.warning("a connection could not be accepted: %s", error)
        descriptors.refused()
        self._loop.remove_reader(listening)
        self._again.add(self._loop.call_later(AGAIN_S, self._go_on, listening))

    def _go_on(self, listening: socket.socket) -> None:
        self._again = {timer for timer in self._again if timer.when() > self._loop.time()}
        if listening.fileno() >= 0:
            self._loop.add_reader(listening, self._accept, listening)


class TcpTransport(asyncio.BufferedProtocol):
    """One accepted connection.

    All are read into one buffer, one after the other. asyncio's own is made again, 256 KiB large, for every line.
    """

    __slots__ = (
        "_address",
        "_deadline",
        "_dropped",
        "_gate",
        "_is_late",
        "_lost",
        "_make_receiver",
        "_peer_finished",
        "_reason",
        "_receiver",
        "_resets",
        "_tcp",
        "is_closing",
    )
    _buffer = memoryview(bytearray(READ_SIZE))

    def __init__(
        self,
        address: tuple[str, int],
        make_receiver: Callable[[Transport], Receiver],
        gate: Gate | None = None,
        is_late: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_late()`: its port has been closed while it was accepted, and nobody is to receive."""
        self._address = address  # a connection that was reset at once no longer tells it
        self._make_receiver = make_receiver
        self._gate = gate
        self._is_late = is_late
        self._receiver: Receiver | None = None
        self._reason = ""
        self.is_closing = False
        self._dropped = 0
        self._peer_finished = False
        self._lost = False
        self._deadline: asyncio.TimerHandle | None = None
        self._resets: select.epoll | None = None

    @property
    def peer(self) -> str:
        return addresses.shown(*self._address)

    @property
    def is_unread(self) -> bool:
        connection = self._tcp.get_extra_info("socket")
        return self._tcp.get_write_buffer_size() > 0 or (connection is not None and has_unread(connection))

    def write(self, data: bytes) -> None:
        if self.is_closing or self._tcp.is_closing():
            return
        self._tcp.write(data)
        waiting = self._tcp.get_write_buffer_size()
        if waiting > WRITE_LIMIT:
            self._drop(f"the peer does not read: {waiting} bytes wait unsent")

    def close(self) -> None:
        """End our side, then read to the peer's end: closing over unread bytes is a reset that eats our last words."""
        if self.is_closing or self._tcp.is_closing():
            return
        self.is_closing = True
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
        if not self.is_closing and not self._peer_finished:
            self._tcp.pause_reading()

    def resume_reading(self) -> None:
        if not self._peer_finished:
            self._tcp.resume_reading()

    def _drop(self, reason: str) -> None:
        if self._lost:
            return
        self.is_closing = True
        self._reason = self._reason or reason
        self._tcp.abort()

    # -- called by asyncio ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._tcp = cast(asyncio.Transport, transport)
        _keep_alive(transport.get_extra_info("socket"))
        if self._is_late():
            self.abort()
            return
        try:
            refused = self._gate.enter(self) if self._gate is not None else None
            self._receiver = refused or self._make_receiver(self)
        except BaseException:
            self.abort()  # nobody would ever read it
            raise

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, size: int) -> None:
        if not self.is_closing and self._receiver is not None:
            self._receiver.data_received(bytes(self._buffer[:size]), time.monotonic())
            return
        self._dropped += size
        if self._dropped > MOST_DROPPED:
            self._tcp.abort()

    def eof_received(self) -> bool:
        """True keeps our own side open: a bot may end its side and still read."""
        self._peer_finished = True
        if self.is_closing or self._receiver is None:
            return False
        self._receiver.eof_received()
        if not self.is_closing:
            self._await_reset()
        return True

    def _await_reset(self) -> None:
        """asyncio looks no more at what it does not read: a bot that is gone would seem to wait for ever."""
        self._resets = select.epoll()
        self._resets.register(self._tcp.get_extra_info("socket").fileno(), 0)  # a reset is told without being asked for
        asyncio.get_running_loop().add_reader(self._resets.fileno(), self._drop, "the peer has closed")

    def connection_lost(self, error: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if self._resets is not None:
            asyncio.get_running_loop().remove_reader(self._resets.fileno())
            self._resets.close()
        self.is_closing = self._lost = True
        said = getattr(error, "strerror", None) or str(error) if error else "the peer has closed"
        try:
            if self._receiver is not None:
                self._receiver.connection_lost(self._reason or said)
        finally:  # also if that fails: its address would have one connection less for ever
            if self._gate is not None:
                self._gate.leave(self)


def _prepare(listening: socket.socket) -> None:
    listening.setblocking(False)
    # Every connection inherits this. Otherwise the kernel would keep up to 4 MB for each bot that does not read.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, WRITE_LIMIT)


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in KEEPALIVE:
        connection.setsockopt(socket.IPPROTO_TCP, option, value)
