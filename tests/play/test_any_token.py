"""A token that nobody can check is taken away, however it is cut, and nothing else."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from arena.play.any_token import AnyToken
from arena.transports import Receiver, Transport
from tests.play.test_sockets import Table

TOKEN = b"SEAT arn_" + b"a2" * 13 + b"\n"


class Seat(Table):
    def receiver(self, transport: Transport) -> Receiver:
        return AnyToken(transport, self)


@pytest.fixture
def seat() -> Iterator[Seat]:
    made = Seat()
    yield made
    made.end()


@pytest.mark.parametrize("shown", [TOKEN, b"SEAT  x \r\n", b""])
def test_what_follows_a_token_is_the_protocols_wherever_it_is_cut(seat: Seat, shown: bytes) -> None:
    for byte in shown + b"NAME ada\n":
        seat.peer.sendall(bytes([byte]))
        seat.loop.run(lambda: not seat.transport.is_unread)
    seat.loop.run(lambda: seat.came == b"NAME ada\n")


def test_what_only_begins_like_one_is_passed_on_also_at_its_end(seat: Seat) -> None:
    seat.peer.sendall(b"SEA")
    seat.peer.shutdown(socket.SHUT_WR)
    seat.loop.run(lambda: seat.ended)
    assert seat.came == b"SEA"


def test_a_line_that_holds_no_token_is_refused_in_words(seat: Seat) -> None:
    seat.peer.sendall(b"SEAT a b\nNAME ada\n")
    seat.loop.run(lambda: seat.transport.is_closing)
    assert seat.rest() == b"SEAT REFUSED unknown_token: After SEAT comes one token, and the end of the line.\n"
    assert seat.came == b""
