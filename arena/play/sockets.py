"""TCP on the driver's loop: a listening port and its connections, with the interface of every transport."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from arena.play import early
from arena.play.loop import Alarm, Loop
from arena.transports import CLOSE_S, WRITE_LIMIT, Receiver, Transport, addresses
from arena.transports.unread import has_unread

READ_SIZE = 64 * 1024
# After we close our end, input is read and dropped, so that our last output arrives; beyond this limit we cut off.
MOST_DROPPED = 256 * 1024


class PolledSocket:
    """One accepted connection."""

    def __init__(self, loop: Loop, connection: socket.socket, make_receiver: Callable[[Transport], Receiver]) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.peer = addresses.peer_of(connection)
        self._loop, self._socket, self._fd = loop, connection, connection.fileno()
        self._unsent = bytearray()
        self._reason = ""
        self.is_closing = self._paused = self._peer_finished = self._over = False
        self._dropped = 0
        self._deadline: Alarm | None = None
        self._receiver = make_receiver(self)
        self._loop.add_reader(self._fd, self._read)

    @property
    def is_unread(self) -> bool:
        return bool(self._unsent) or has_unread(self._socket)

    def write(self, data: bytes) -> None:
        if self.is_closing:
            return
        self._unsent += data
        self._send()
        if len(self._unsent) > WRITE_LIMIT:
            self._finish(f"the peer does not read: {len(self._unsent)} bytes wait unsent")

    def close(self) -> None:
        """Close our end, then read to the peer's end: closing with unread input would reset and lose output."""
        if self.is_closing:
            return
        self.is_closing, self._reason = True, "closed"
        self._deadline = self._loop.call_later(CLOSE_S, lambda: self._finish("closed"))
        self.resume_reading()
        if not self._unsent:
            self._end_output()

    def abort(self) -> None:
        self._finish("aborted")

    def pause_reading(self) -> None:
        if not (self._paused or self.is_closing or self._peer_finished):
            self._paused = True
            self._loop.remove_reader(self._fd)

    def resume_reading(self) -> None:
        if self._paused and not self._over:
            self._loop.add_reader(self._fd, self._read)
        self._paused = False

    # -- called by the loop --------------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            data = self._socket.recv(READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as why:
            self._finish(os.strerror(why.errno or 0))
            return
        if not data:
            self._end_of_input()
        elif not self.is_closing:
            self._receiver.data_received(data, time.monotonic())
        else:
            self._dropped += len(data)
            if self._dropped > MOST_DROPPED:
                self._finish("closed")

    def _end_of_input(self) -> None:
        """The bot may close its side and still read."""
        self._peer_finished = True
        self._loop.remove_reader(self._fd)
        if not self.is_closing:
            self._receiver.eof_received()
        elif not self._unsent:
            self._finish("closed")

    def _send(self) -> None:
        try:
            sent = self._socket.send(self._unsent) if self._unsent else 0
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as why:
            self._finish(os.strerror(why.errno or 0))
            return
        del self._unsent[:sent]
        if self._unsent:
            self._loop.add_writer(self._fd, self._send)
            return
        self._loop.remove_writer(self._fd)
        if self.is_closing:
            self._end_output()

    def _end_output(self) -> None:
        if self._peer_finished:
            self._finish("closed")
            return
        with suppress(OSError):  # the peer is gone, which the next read reports
            self._socket.shutdown(socket.SHUT_WR)

    def _finish(self, reason: str) -> None:
        """Release the connection and report it once, as soon as no callback is running."""
        if self._over:
            return
        self._over = self.is_closing = True
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        if self._deadline is not None:
            self._deadline.cancel()
        self._socket.close()
        said = self._reason or reason
        self._loop.call_later(0.0, lambda: self._receiver.connection_lost(said))


class ListeningPort:
    """Listens on `port` of this machine, or on any free port for 0; `accepted` is called with each connection.

    `host` is another address than this machine's own, at which bots of other machines come.
    """

    def __init__(
        self, loop: Loop, port: int, accepted: Callable[[socket.socket], object], host: str = addresses.LOCAL
    ) -> None:
        """Raises OSError if the port is taken."""
        self._loop, self._accepted = loop, accepted
        opened = early.take(port) or [each.detach() for each in addresses.listen(port, early.BACKLOG, host)]
        self._sockets = [socket.socket(fileno=each) for each in opened]
        self.port: int = self._sockets[0].getsockname()[1]
        for each in self._sockets:
            each.setblocking(False)
            loop.add_reader(each.fileno(), partial(self._accept, each))

    @property
    def closed(self) -> bool:
        return not self._sockets

    def close(self) -> None:
        """Stop listening; may be called twice. Connections stay open."""
        for each in self._sockets:
            self._loop.remove_reader(each.fileno())
            each.close()
        self._sockets = []

    def _accept(self, listening: socket.socket) -> None:
        with suppress(BlockingIOError, InterruptedError, ConnectionAbortedError):
            connection, _ = listening.accept()
            if addresses.peer_of(connection):
                self._accepted(connection)
            else:
                connection.close()  # nobody: somebody looked which ports are open
