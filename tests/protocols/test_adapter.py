"""What every adapter inherits: events and bytes are handed out once, and an end of input is an event."""

from __future__ import annotations

from typing import get_args

import pytest

from arena.protocols import protocols
from arena.protocols.adapter import Adapter, BotFault, BotMove, Bye, Closed, Deadline, FromBot, Hello, ToBot
from arena.protocols.value import FrozenValue
from games import variants


class Parrot(Adapter):
    """Hears a move in everything, and repeats it."""

    def receive_data(self, data: bytes) -> None:
        self.events.append(BotMove(data.decode()))
        self.out += data

    def send(self, event: ToBot) -> None:
        self.wants_close = isinstance(event, Bye)


def test_events_and_bytes_are_handed_out_once() -> None:
    parrot = Parrot()
    parrot.receive_data(b"4")
    parrot.receive_data(b"5")
    assert parrot.data_to_send() == b"45"
    assert parrot.events_received() == [BotMove("4"), BotMove("5")]
    assert parrot.data_to_send() == b""
    assert parrot.events_received() == []


def test_two_connections_share_nothing() -> None:
    one, other = Parrot(), Parrot()
    one.receive_data(b"4")
    assert other.events_received() == []
    assert other.data_to_send() == b""


def test_the_end_of_the_input_is_an_event() -> None:
    parrot = Parrot()
    parrot.receive_eof()
    assert parrot.events_received() == [Closed()]


def test_it_is_open_until_it_wants_to_close() -> None:
    parrot = Parrot()
    assert not parrot.wants_close
    parrot.send(Bye())
    assert parrot.wants_close


def test_a_deadline_that_a_protocol_does_not_know_changes_nothing() -> None:
    parrot = Parrot()
    parrot.tick("ack")
    assert parrot.events_received() == []


def test_nothing_is_waited_for_at_first() -> None:
    assert Parrot().deadline is None


def test_two_waits_are_never_the_same() -> None:
    """The session knows by that whether it is a new one."""
    assert Deadline("ack", 10.0) != Deadline("ack", 10.0)


def test_a_contract_half_kept_is_no_adapter() -> None:
    class Mute(Adapter):
        def receive_data(self, data: bytes) -> None: ...

    with pytest.raises(TypeError, match="send"):
        Mute()  # type: ignore[abstract]


@pytest.mark.parametrize("event", get_args(FromBot) + get_args(ToBot))
def test_events_are_frozen_values(event: type) -> None:
    assert issubclass(event, tuple | FrozenValue)


def test_equal_events_are_equal() -> None:
    assert Hello("a") == Hello("a")
    assert BotFault("bad_output", "x", "a column") != BotFault("bad_output", "x", "a column", "4")


@pytest.mark.parametrize("adapter", protocols().values(), ids=lambda adapter: adapter.slug)
def test_every_protocol_says_what_it_plays(adapter: type[Adapter]) -> None:
    known = {variant.slug for variant in variants()}
    assert set(adapter.variants) <= known
    assert adapter.on_illegal in ("refuse", "ask_again", "lose")
    assert adapter.title
    assert 1024 <= adapter.port < 65536


def test_no_two_protocols_share_a_port() -> None:
    ports = [adapter.port for adapter in protocols().values()]
    assert len(ports) == len(set(ports))
