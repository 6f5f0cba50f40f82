"""Floods on a websocket of a real server process: what is refused, with which code and words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from urllib.request import urlopen

import pytest
from websockets.exceptions import ConnectionClosed

from tests.kit.deadline import DEADLINE_S
from tests.kit.sockets import connect_blocking as connect
from tests.kit.until import blocked_until
from tests.server.asgi_probe import Probe
from tests.server.test_guards import read_all, upgrade

PING, EMPTY, MORE, PONG = b"\x89\x80\0\0\0\0", b"\x01\x80\0\0\0\0", b"\0\x80\0\0\0\0", b"\x8a\x80\0\0\0\0"
MESSAGE = b"\x82\xfe\x3f\xff\0\0\0\0" + bytes(16383)


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with Probe() as probe:
        yield probe
        _, lines = probe.terminate()
        assert not any("Traceback" in line for line in lines)
        # Each flood is one line of the log.
        assert sum("arena.server.websockets" in line for line in lines) == lines.count("disconnect 1008")


def flood(probe: Probe, frames: bytes) -> bytes:
    """All that the server says to these frames, until it is gone."""
    with closing(upgrade(probe, "/echo")) as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 101")
        with suppress(OSError):
            client.sendall(frames)
        return read_all(client)


@pytest.mark.parametrize(
    ("frames", "why"),
    [
        (PING * 50_000, b"too many pings: 10 at once and then 1 a second are taken"),
        (EMPTY + MORE * 50_000, b"too many frames: 200 at once and then 50 a second are taken"),
        (PONG * 50_000, b"too many frames: 200 at once and then 50 a second are taken"),
    ],
    ids=["pings", "empty continuations", "pongs"],
)
def test_a_flood_of_frames_is_closed_in_words(probe: Probe, frames: bytes, why: bytes) -> None:
    with connect(probe.ws("/echo")) as honest:
        began = time.monotonic()
        said = flood(probe, frames)
        seconds = int(time.monotonic() - began)
        assert said.endswith(b"\x88" + bytes([len(why) + 2]) + b"\x03\xf0" + why)  # 1008
        assert said.count(b"\x8a\0") <= 10 + seconds  # pongs
        logged = probe.wait_for("INFO:arena.server.websockets")
        assert logged.endswith(f"127.0.0.1: a websocket is closed, {why.decode().partition(':')[0]}")
        honest.send("still here")
        assert honest.recv() == "still here"


def test_a_flood_of_bytes_is_closed_in_words() -> None:
    with Probe(limits={"socket": {"waiting_messages": 1000}}) as probe:
        why = b"too many bytes: 262144 at once and then 65536 a second are taken"
        with closing(upgrade(probe, "/sleeper")) as client:
            assert client.recv(1000).startswith(b"HTTP/1.1 101")
            with suppress(OSError):
                for _ in range(100):
                    client.sendall(MESSAGE)
            assert why in read_all(client)


def test_whoever_is_answered_may_go_on_as_fast_as_it_can(probe: Probe) -> None:
    with connect(probe.ws("/echo")) as client:
        for number in range(1000):
            client.send(f"{number} {'x' * 600}")
            assert str(client.recv()).partition(" ")[0] == str(number)


def test_a_few_pings_are_answered(probe: Probe) -> None:
    with connect(probe.ws("/echo")) as client:
        for _ in range(5):
            assert client.ping().wait(DEADLINE_S)
        client.send("x")
        assert client.recv() == "x"


def test_what_comes_after_the_limit_is_not_heard(probe: Probe) -> None:
    with connect(probe.ws("/echo")) as client, pytest.raises(ConnectionClosed) as closed:
        for _ in range(20):
            client.ping()
        while True:
            client.recv()
    assert closed.value.rcvd and closed.value.rcvd.code == 1008


def test_of_an_open_socket_nothing_of_its_request_is_kept(probe: Probe) -> None:
    def requests() -> int:
        with urlopen(probe.http("/requests"), timeout=DEADLINE_S) as answer:
            return int(answer.read())

    with ExitStack() as sockets:
        for _ in range(20):
            sockets.enter_context(connect(probe.ws("/echo")))
        blocked_until(lambda: requests() < 20)


def test_a_round_trip_is_measured_by_pings_of_which_one_is_on_its_way(probe: Probe) -> None:
    with closing(upgrade(probe, "/line")) as client, client.makefile("rb") as said:
        while said.readline().strip():  # the opening handshake
            pass
        kind, size = said.read(2)
        assert kind == 0x89
        pong = b"\x8a" + bytes([0x80 + size, 0, 0, 0, 0]) + said.read(size)
        client.sendall(PONG)  # it answers nothing
        for _ in range(2):
            client.sendall(PING)
            assert said.read(2) == b"\x8a\0"
        client.sendall(pong)
        kind, size = said.read(2)
        assert kind == 0x81, "three were asked for, and one was sent"
        asked, trip_ms = said.read(size).split()
        assert asked == b"3" and 0 <= int(trip_ms) < DEADLINE_S * 1000
    with connect(probe.ws("/line")) as browser:
        for number in range(3, 6):
            assert str(browser.recv(DEADLINE_S)).split()[0] == f"{number}"
            browser.send("again")
