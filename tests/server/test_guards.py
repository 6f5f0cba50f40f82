"""Attacks on a real server process, each with the bound it must keep.

Bounds are the defaults, and deadlines are none: they are as short as may be where one of them is what a test is about.
"""

from __future__ import annotations

import http.client
import json
import os
import select
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from urllib.error import HTTPError

import pytest
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from websockets.exceptions import ConnectionClosed

from arena.common.limits import Rate
from arena.server.guards import HeldBack, ServerLimits
from arena.server.server import ArenaServer
from tests.kit.deadline import DEADLINE_S
from tests.kit.sockets import connect_blocking as connect
from tests.kit.until import blocked_until
from tests.server.asgi_probe import HANDSHAKE, Probe, application

PATIENT = {
    "header_seconds": DEADLINE_S, "body_seconds": DEADLINE_S, "response_seconds": DEADLINE_S,
    "linger_seconds": DEADLINE_S, "ping_seconds": DEADLINE_S, "pong_seconds": DEADLINE_S,
    "check_seconds": 0.2, "drain_seconds": 0.2, "socket": {"bytes": [1e12, 0]},
}  # fmt: skip
SHORT = {"header_seconds": 1, "body_seconds": 1, "response_seconds": 1, "linger_seconds": 1}
MEGABYTE = 1024 * 1024


@contextmanager
def probing(**limits: float) -> Iterator[Probe]:
    with Probe(limits=PATIENT | limits) as probe:
        yield probe
        _, lines = probe.terminate()
        text = "\n".join(lines)
        assert text.count("Traceback") == text.count("LookupError: in the middle")


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with probing() as probe:
        yield probe


@pytest.fixture(scope="module")
def hasty() -> Iterator[Probe]:
    """Gives nobody more than a second for anything, but for websockets."""
    with probing(**SHORT) as probe:
        yield probe


def upgrade(probe: Probe, path: str) -> socket.socket:
    """A websocket as bytes: the opening handshake is sent, no answer is read."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    client.settimeout(DEADLINE_S)
    client.connect((probe.host, probe.port))
    client.sendall(HANDSHAKE % path.encode())
    return client


def read_all(client: socket.socket) -> bytes:
    """All there is until the other side is gone."""
    received = bytearray()
    with suppress(ConnectionResetError):
        while data := client.recv(65536):
            received += data
    return bytes(received)


def was_cut(client: socket.socket) -> bool:
    """Wait for the other side's reset, and read nothing meanwhile."""
    waiting = select.poll()
    waiting.register(client, 0)
    return bool(waiting.poll(DEADLINE_S * 1000))


def sends(client: socket.socket) -> bool:
    """Send another byte; whether that was possible."""
    try:
        client.sendall(b"x")
    except OSError:
        return False
    return True


def open_files(probe: Probe) -> int:
    return len(os.listdir(f"/proc/{probe.process.pid}/fd"))


def get(probe: Probe, path: str = "/", **headers: str) -> bytes:
    request = urllib.request.Request(probe.http(path), headers={key.replace("_", "-"): headers[key] for key in headers})
    with urllib.request.urlopen(request, timeout=DEADLINE_S) as response:
        body: bytes = response.read()
    return body


# -- output ------------------------------------------------------------------------------------------------------------


def test_twenty_viewers_that_do_not_read_cost_little_memory_and_are_cut(probe: Probe) -> None:
    before, files = probe.rss(), open_files(probe)
    with ExitStack() as stack:
        viewers = [stack.enter_context(closing(upgrade(probe, "/shower"))) for _ in range(20)]
        assert get(probe) == b"hello"
        blocked_until(lambda: open_files(probe) <= files)
        assert probe.rss() - before <= 64  # of 400 MB
        assert all(len(read_all(viewer)) < 19 * MEGABYTE for viewer in viewers)


def test_a_flood_of_pings_without_reading_the_pongs_is_cut(probe: Probe) -> None:
    before, ping = probe.rss(), b"\x89\xfd\0\0\0\0" + bytes(125)
    with closing(upgrade(probe, "/echo")) as client, pytest.raises(OSError):
        assert client.recv(1000).startswith(b"HTTP/1.1 101")
        for _ in range(1000):
            client.sendall(ping * 500)
    assert probe.rss() - before <= 64


def test_a_long_message_and_an_empty_one_are_sent(probe: Probe) -> None:
    with connect(probe.ws("/long")) as client:
        assert len(client.recv()) == 20_000
    with connect(probe.ws("/echo")) as client:
        client.send("")
        client.send(b"")
        client.send("ends")
        assert [client.recv() for _ in range(3)] == ["", b"", "ends"]


@pytest.mark.long
def test_a_download_that_nobody_reads_stays_out_of_memory_and_is_cut(hasty: Probe) -> None:
    before = hasty.rss()
    with closing(socket.create_connection((hasty.host, hasty.port))) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: arena\r\n\r\n")
        assert was_cut(client)
    assert hasty.rss() - before <= 16  # of 64 MB


def test_a_download_that_is_read_comes_whole(probe: Probe) -> None:
    assert len(get(probe, "/large")) == 64 * MEGABYTE


# -- input -------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_flood_of_messages_is_closed_before_it_is_in_memory(probe: Probe) -> None:
    before, frame = probe.rss(), b"\x82\xfe\x3f\xff\0\0\0\0" + bytes(16383)
    with closing(upgrade(probe, "/sleeper")) as client, pytest.raises(OSError):
        assert client.recv(1000).startswith(b"HTTP/1.1 101")
        for _ in range(25_000):  # 407 MB
            client.sendall(frame)
    assert probe.rss() - before <= 16
    assert get(probe, "/wake") == b"good morning"
    assert probe.wait_for("sleeper woke") == "sleeper woke 32"


def test_the_flooder_is_told_why(probe: Probe) -> None:
    with connect(probe.ws("/sleeper")) as client, pytest.raises(ConnectionClosed) as closed:
        for _ in range(100):
            client.send("again")
        client.recv()
    assert closed.value.rcvd
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "too many messages at once")
    assert get(probe, "/wake") == b"good morning"
    assert probe.wait_for("sleeper woke") == "sleeper woke 32"


def test_a_message_over_16_kib_is_closed_with_1009(probe: Probe) -> None:
    with connect(probe.ws("/echo")) as client, pytest.raises(ConnectionClosed) as closed:
        client.send("x" * 16 * 1024)
        assert len(client.recv()) == 16 * 1024
        client.send("x" * (16 * 1024 + 1))
        client.recv()
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1009


def test_compression_is_not_spoken(probe: Probe) -> None:
    with connect(probe.ws("/echo"), compression="deflate") as client:
        assert client.protocol.extensions == []


def test_bytes_before_the_accept_are_bounded_and_no_second_handshake(probe: Probe) -> None:
    with closing(upgrade(probe, "/silent")) as client:
        with suppress(OSError):
            for _ in range(100):
                client.sendall(b"GET /echo HTTP/1.1\r\nHost: arena\r\n\r\n" + bytes(1024))
        assert read_all(client) == b""


def test_a_message_sent_together_with_the_handshake_arrives(probe: Probe) -> None:
    with closing(socket.create_connection((probe.host, probe.port), timeout=DEADLINE_S)) as client:
        client.sendall(HANDSHAKE % b"/echo" + b"\x81\x85\0\0\0\0early")
        answer = b""
        while not answer.endswith(b"\x81\x05early"):
            answer += client.recv(1000)


def test_a_handshake_without_a_key_is_refused_in_silence(probe: Probe) -> None:
    with closing(socket.create_connection((probe.host, probe.port), timeout=DEADLINE_S)) as client:
        client.sendall(b"GET /echo HTTP/1.1\r\nHost: arena\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        assert read_all(client).startswith(b"HTTP/1.1 400")


# -- bodies ------------------------------------------------------------------------------------------------------------


def test_a_declared_body_of_10_mb_is_refused_before_it_is_sent(probe: Probe) -> None:
    with closing(http.client.HTTPConnection(probe.host, probe.port, timeout=DEADLINE_S)) as client:
        client.putrequest("POST", "/length")
        client.putheader("Content-Length", str(10 * MEGABYTE))
        client.putheader("Expect", "100-continue")
        client.endheaders()
        response = client.getresponse()
        assert (response.status, b"at most 1048576 bytes" in response.read()) == (413, True)


def test_a_length_of_thousands_of_digits_is_refused_as_any_that_is_none(probe: Probe) -> None:
    for length in (b"9" * 5000, b"0" * 5000 + b"5", b"five"):
        with closing(socket.create_connection((probe.host, probe.port), timeout=DEADLINE_S)) as client:
            client.sendall(b"POST /length HTTP/1.1\r\nHost: arena\r\nContent-Length: " + length + b"\r\n\r\nhello")
            assert read_all(client) == b"HTTP/1.1 400 Bad Request\r\n\r\n"


def test_who_sends_10_mb_without_asking_still_sees_the_answer(probe: Probe) -> None:
    with pytest.raises(HTTPError, match="413") as refused:
        urllib.request.urlopen(probe.http("/length"), data=bytes(10 * MEGABYTE), timeout=DEADLINE_S)
    refused.value.close()


def test_a_program_is_told_in_json_that_its_body_is_too_large(probe: Probe) -> None:
    with pytest.raises(HTTPError, match="413") as refused:
        urllib.request.urlopen(probe.http("/api/rooms/"), data=bytes(2 * MEGABYTE), timeout=DEADLINE_S)
    with refused.value as answer:
        assert json.load(answer)["error"]["code"] == "too_large"


@pytest.mark.long
def test_a_chunked_upload_is_cut_while_it_is_read(hasty: Probe) -> None:
    before, chunk = hasty.rss(), b"10000\r\n" + bytes(65536) + b"\r\n"
    with closing(socket.create_connection((hasty.host, hasty.port), timeout=DEADLINE_S)) as client:
        client.sendall(b"POST /length HTTP/1.1\r\nHost: arena\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 17)
        assert client.recv(65536).startswith(b"HTTP/1.1 413")
        with pytest.raises(OSError):
            while True:
                client.sendall(chunk)
    assert hasty.rss() - before <= 16


def test_a_body_of_1_mib_is_taken(probe: Probe) -> None:
    with urllib.request.urlopen(probe.http("/length"), data=b"a" * MEGABYTE, timeout=DEADLINE_S) as response:
        assert response.read() == b"1048576"


# -- time --------------------------------------------------------------------------------------------------------------


def test_a_hundred_slow_senders_are_cut_while_others_are_served(hasty: Probe) -> None:
    starts = [b"GET / HTTP/1.1\r\nX: ", b"POST /length HTTP/1.1\r\nContent-Length: 999\r\n\r\n", b""]
    # The last kind is slow with its second request.
    starts.append(b"GET / HTTP/1.1\r\nHost: arena\r\n\r\nGET /")
    with ExitStack() as stack:
        viewer = stack.enter_context(connect(hasty.ws("/echo")))
        reader = stack.enter_context(closing(http.client.HTTPConnection(hasty.host, hasty.port, timeout=DEADLINE_S)))
        slow = [socket.create_connection((hasty.host, hasty.port)) for _ in range(100)]
        for number, client in enumerate(slow):
            stack.enter_context(closing(client)).sendall(starts[number % len(starts)])
        while slow:
            reader.request("GET", "/")
            assert reader.getresponse().read() == b"hello"
            slow = [client for client in slow if sends(client)]
        viewer.send("still here")
        assert viewer.recv() == "still here"


def test_a_request_that_is_never_answered_ends_with_503(hasty: Probe) -> None:
    with pytest.raises(HTTPError, match="503") as late:
        get(hasty, "/silent")
    late.value.close()


@pytest.mark.long
def test_a_stream_outlives_the_time_for_an_answer(hasty: Probe) -> None:
    with urllib.request.urlopen(hasty.http("/stream"), timeout=DEADLINE_S) as stream:
        assert [stream.readline() for _ in range(20)] == [b"tick\n"] * 20
    assert hasty.wait_for("stream ended")


@pytest.mark.long
def test_an_answer_that_fails_in_the_middle_is_cut_each_time(probe: Probe) -> None:
    for _ in range(2):
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            get(probe, "/torn")


@pytest.mark.long
def test_a_websocket_that_answers_no_ping_is_dropped() -> None:
    with probing(ping_seconds=1, pong_seconds=1) as probe, closing(upgrade(probe, "/echo?mute")) as client:
        assert b"\x89\x0c" in read_all(client)
        assert probe.wait_for("disconnect 1006 mute")


# -- who it is ---------------------------------------------------------------------------------------------------------

FORGED = {
    "X-Forwarded-For": "6.6.6.6, 203.0.113.7", "X-Forwarded-Proto": "https", "Daphne-Root-Path": "/evil",
}  # fmt: skip


def test_strangers_choose_neither_root_path_nor_address(probe: Probe) -> None:
    seen = json.loads(get(probe, "/scope", **FORGED))
    assert (seen["client"][0], seen["scheme"], seen["root_path"]) == ("127.0.0.1", "http", "")
    with connect(probe.ws("/who"), additional_headers=FORGED) as client:
        seen = json.loads(client.recv())
    assert (seen["client"][0], seen["scheme"], seen["root_path"]) == ("127.0.0.1", "ws", "")


def test_our_own_proxy_is_believed_and_no_query_is_logged() -> None:
    with Probe(proxy_hops=1, root_path="/arena") as probe:
        seen = json.loads(get(probe, "/scope?token=hidden", **FORGED))
        assert seen == {"client": ["203.0.113.7", 0], "scheme": "https", "root_path": "/arena"}
        with connect(probe.ws("/who?token=hidden"), additional_headers=FORGED) as client:
            seen = json.loads(client.recv())
        assert seen == {"client": ["203.0.113.7", 0], "scheme": "wss", "root_path": "/arena"}
        _, lines = probe.terminate()
    assert any("203.0.113.7:0 GET '/scope' 200" in line for line in lines)
    assert not any("hidden" in line for line in lines)


def test_an_application_closes_with_any_code_and_a_reason(probe: Probe) -> None:
    with connect(probe.ws("/who")) as client, pytest.raises(ConnectionClosed) as closed:
        client.recv()
        client.send("thank you")
        client.recv()
    assert closed.value.rcvd
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1013, "é" * 60)


# -- how many ----------------------------------------------------------------------------------------------------------


def test_what_is_the_same_in_all_websockets_stands_in_their_class() -> None:
    server = ArenaServer(application, "127.0.0.1", 0)
    server.start()
    stranger = IPv4Address("TCP", "203.0.113.7", 4000)
    websocket = server.ws_factory.buildProtocol(stranger)
    websocket.makeConnection(StringTransport(peerAddress=stranger))  # type: ignore[no-untyped-call]
    assert all(getattr(websocket, name) == getattr(server.ws_factory, name) for name in websocket.CONFIG_ATTRS)
    before = {name: value for name, value in vars(websocket).items() if name != "_transport_details"}
    websocket._slim_down()
    assert len(vars(websocket)) < 35 and not set(websocket.CONFIG_ATTRS) & set(vars(websocket))
    assert all(getattr(websocket, name) is value for name, value in before.items())
    websocket.connectionLost(Failure(ConnectionDone()))  # type: ignore[no-untyped-call]


def test_one_address_opens_connections_so_fast() -> None:
    server = ArenaServer(application, "127.0.0.1", 0, limits=ServerLimits(openings=Rate(2, 0)))
    server.start()
    strangers = [IPv6Address("TCP", f"2001:db8::{number}", 4000) for number in range(1, 4)]
    channels = [server.http_factory.buildProtocol(stranger) for stranger in strangers]
    assert [isinstance(channel, HeldBack) for channel in channels] == [False, False, True]
    other = server.http_factory.buildProtocol(IPv4Address("TCP", "203.0.113.7", 4000))
    assert other and not isinstance(other, HeldBack)
    held = channels[2]
    assert isinstance(held, HeldBack)
    transport = StringTransport(peerAddress=strangers[2])  # type: ignore[no-untyped-call]
    held.makeConnection(transport)  # type: ignore[no-untyped-call]
    assert transport.producerState == "paused" and server.places.total == 4
    held.connectionLost()
    assert server.places.total == 3
    server.listener.stopListening()


def test_a_connection_that_ends_gives_its_place_back() -> None:
    server = ArenaServer(application, "127.0.0.1", 0, limits=ServerLimits(connections_per_address=1))
    server.start()
    stranger = IPv4Address("TCP", "203.0.113.7", 4000)
    assert (channel := server.http_factory.buildProtocol(stranger))
    channel.makeConnection(StringTransport(peerAddress=stranger))  # type: ignore[no-untyped-call]
    assert server.http_factory.buildProtocol(stranger) is None
    channel.connectionLost(None)
    assert server.http_factory.buildProtocol(stranger)
    server.listener.stopListening()
