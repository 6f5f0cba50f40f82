from __future__ import annotations

import asyncio
import time
from typing import ClassVar

import pytest

from arena.bots.session.connection import Connection
from arena.play.flood import LINES
from arena.protocols.adapter import Adapter, Bye, Deadline, FromBot, Hello, ToBot
from tests.kit.until import until


class Parrot(Adapter):
    """Answers each byte with itself and takes it for a name. It waits for something after `w`, and breaks at `!`."""

    variants: ClassVar[tuple[str, ...]] = ()

    def receive_data(self, data: bytes) -> None:
        for letter in data.decode():
            if letter == "!":
                raise ValueError("a defect")
            self.deadline = Deadline("late", 0.01) if letter == "w" else None
            self.out += letter.encode()
            self.events.append(Hello(letter))

    def tick(self, name: str) -> None:
        self.out += name.encode()
        self.wants_close = True

    def send(self, event: ToBot) -> None:
        self.out += b"bye"
        self.events.append(Hello(str(event)))


class Pipe:
    """A transport that keeps what is written."""

    peer = "192.0.2.1:5123"

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.ends: list[str] = []

    @property
    def is_closing(self) -> bool:
        return bool(self.ends)

    @property
    def is_unread(self) -> bool:
        return False

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.ends.append("closed")

    def abort(self) -> None:
        self.ends.append("aborted")

    def pause_reading(self) -> None:
        """Nothing is read here."""

    def resume_reading(self) -> None:
        """Nothing is read here."""


class Ear:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.events: list[FromBot | str] = []
        self.break_at = ""

    def heard(self, event: FromBot) -> None:
        assert isinstance(event, Hello)
        if event.name == self.break_at:
            raise ValueError("a defect")
        self.events.append(event.name)

    def flooded(self) -> None:
        self.events.append("flooded")

    def broke(self) -> None:
        self.events.append("broke")

    def lost(self, reason: str) -> None:
        self.events.append(reason)


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
async def connection(pipe: Pipe, ear: Ear) -> Connection:
    return Connection(Parrot(), pipe, ear)


def receive(connection: Connection, data: bytes) -> None:
    connection.data_received(data, time.monotonic())


async def test_what_one_read_says_is_answered_in_one_piece(connection: Connection, pipe: Pipe, ear: Ear) -> None:
    receive(connection, b"abc")
    assert pipe.written == [b"abc"] and ear.events == ["a", "b", "c"]
    connection.say(Bye())
    assert pipe.written == [b"abc", b"bye"]


async def test_the_stamp_is_that_of_the_last_read(connection: Connection) -> None:
    connection.data_received(b"a", 123.5)
    assert connection.stamp == 123.5


async def test_a_deadline_that_passes_is_told_to_the_adapter_once(connection: Connection, pipe: Pipe) -> None:
    receive(connection, b"w")
    await until(lambda: bool(pipe.ends))
    assert pipe.written == [b"w", b"late"] and pipe.ends == ["closed"]


async def test_a_deadline_that_is_no_more_does_not_pass(connection: Connection, pipe: Pipe) -> None:
    receive(connection, b"w")
    receive(connection, b"a")
    await asyncio.sleep(0.03)
    receive(connection, b"w")
    connection.connection_lost("gone")
    await asyncio.sleep(0.03)
    assert pipe.written == [b"w", b"a", b"w"] and pipe.ends == []


async def test_a_flood_is_not_even_read(connection: Connection, pipe: Pipe, ear: Ear) -> None:
    receive(connection, b"\n" * (int(LINES.at_once) + 1))
    assert ear.events == ["flooded"] and pipe.ends == ["aborted"] and pipe.written == []


async def test_who_is_asked_may_answer_for_ever(connection: Connection, ear: Ear) -> None:
    for _ in range(1000):
        connection.asked()
        receive(connection, b"\n")
    assert "flooded" not in ear.events


async def test_a_defect_of_the_adapter_ends_this_connection(
    connection: Connection, pipe: Pipe, ear: Ear, caplog: pytest.LogCaptureFixture
) -> None:
    receive(connection, b"a!")
    assert "broke" in ear.events and pipe.ends[0] == "aborted"
    assert "192.0.2.1:5123: the session failed" in caplog.text and "a defect" in caplog.text


async def test_a_defect_of_the_listener_ends_this_connection(
    connection: Connection, pipe: Pipe, ear: Ear, caplog: pytest.LogCaptureFixture
) -> None:
    ear.break_at = "b"
    receive(connection, b"ab")
    assert ear.events == ["a", "broke"] and pipe.ends == ["aborted"]
    assert "192.0.2.1:5123: the session failed" in caplog.text


async def test_the_end_is_passed_on(connection: Connection, ear: Ear) -> None:
    connection.connection_lost("the peer has closed")
    assert ear.events == ["the peer has closed"]
