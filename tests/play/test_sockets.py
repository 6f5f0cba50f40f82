"""Connections on the driver's loop, with real sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from arena.play.loop import Loop
from arena.play.sockets import MOST_DROPPED, ListeningPort, PolledSocket
from arena.transports import WRITE_LIMIT, Receiver, Transport
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port


class Table:
    """One connection between a transport and `peer`, a plain socket; and all that the transport told."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.loop = Loop()
        self.came, self.ended, self.lost = b"", False, ""
        port = free_port()
        accepted: list[socket.socket] = []
        self.listening = ListeningPort(self.loop, port, accepted.append)
        self.peer = socket.create_connection((host, port), timeout=DEADLINE_S)
        self.loop.run(lambda: bool(accepted))
        self.transport = PolledSocket(self.loop, accepted[0], self.receiver)

    def receiver(self, transport: Transport) -> Receiver:
        return self

    def end(self) -> None:
        self.listening.close()
        self.transport.abort()
        self.loop.run(lambda: self.lost != "")
        self.peer.close()

    def data_received(self, data: bytes, stamp: float) -> None:
        self.came += data

    def eof_received(self) -> None:
        self.ended = True

    def connection_lost(self, reason: str) -> None:
        assert not self.lost, "said once"
        self.lost = reason

    def rest(self) -> bytes:
        """All that the peer reads until the end."""
        return b"".join(iter(lambda: self.peer.recv(65536), b""))


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.end()


def test_bytes_go_both_ways_and_the_last_words_arrive(table: Table) -> None:
    table.peer.sendall(b"hello")
    table.loop.run(lambda: table.came == b"hello")
    table.peer.sendall(b"unread")
    table.transport.write(b"goodbye")
    table.transport.close()
    table.transport.write(b"too late")
    assert table.rest() == b"goodbye"
    table.peer.close()
    table.loop.run(lambda: table.lost == "closed")
    assert table.came == b"hello"


def test_a_peer_that_has_ended_its_side_still_reads(table: Table) -> None:
    table.peer.shutdown(socket.SHUT_WR)
    table.loop.run(lambda: table.ended)
    table.transport.write(b"and yet")
    table.transport.close()
    assert table.rest() == b"and yet"
    table.loop.run(lambda: table.lost == "closed")


def test_nobody_waits_for_a_peer_that_does_not_read(table: Table) -> None:
    while not table.transport.is_closing:
        table.transport.write(b"x" * WRITE_LIMIT)
    table.loop.run(lambda: table.lost != "")
    assert table.lost.startswith("the peer does not read: ")


def test_a_peer_that_goes_on_after_our_end_is_cut_off(table: Table) -> None:
    table.transport.close()
    table.peer.setblocking(False)
    sent = 0

    def pushes() -> bool:
        nonlocal sent
        with suppress(OSError):
            sent += table.peer.send(b"x" * 65536)
        return table.lost != ""

    table.loop.run(pushes)
    assert table.came == b"" and sent > MOST_DROPPED
    assert table.lost == "closed"


def test_what_is_not_read_waits_until_it_is(table: Table) -> None:
    table.transport.pause_reading()
    table.peer.sendall(b"patience")
    rang: list[None] = []
    table.loop.call_later(0.01, lambda: rang.append(None))
    table.loop.run(lambda: bool(rang))
    assert table.came == b""
    table.transport.resume_reading()
    table.loop.run(lambda: table.came == b"patience")


def test_a_reset_is_the_end(table: Table) -> None:
    table.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    table.peer.close()
    table.loop.run(lambda: table.lost == "Connection reset by peer")


def test_who_has_reset_the_connection_before_it_is_taken_is_nobody() -> None:
    """A scanner of ports; it must not end a match that waits for its bot."""
    loop, port, accepted = Loop(), free_port(), list[socket.socket]()
    listening = ListeningPort(loop, port, accepted.append)
    scanner = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S)
    scanner.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    scanner.close()
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S) as bot:
        loop.run(lambda: bool(accepted))
        assert [each.getpeername() for each in accepted] == [bot.getsockname()]
    listening.close()
    accepted[0].close()


def test_who_comes_to_the_other_address_of_this_machine_is_let_in() -> None:
    made = Table("::1")
    assert made.transport.peer == f"[::1]:{made.peer.getsockname()[1]}"
    made.end()
