"""What one address may ask of a real server process, and what is no request for a page at all."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from websockets.exceptions import InvalidStatus

from tests.kit.deadline import DEADLINE_S
from tests.kit.sockets import connect_blocking as connect
from tests.server.asgi_probe import Probe
from tests.server.test_guards import PATIENT, read_all


@pytest.fixture(scope="module")
def counting() -> Iterator[Probe]:
    """Behind a proxy of ours, so that tests choose their addresses; this machine's own is exempt."""
    limits = PATIENT | {"pages": [3, 0.001], "pages_at_once": 2, "refusal_seconds": 0.1, "connections_per_address": 2}
    with Probe(limits=limits, proxy_hops=1, static_path="/scope") as probe:
        yield probe
        _, lines = probe.terminate()
        assert not any("Traceback" in line for line in lines)


def ask(probe: Probe, line: bytes, address: str = "127.0.0.1", *headers: bytes) -> socket.socket:
    """One request, of which no answer is read."""
    client = socket.create_connection((probe.host, probe.port), timeout=DEADLINE_S)
    fields = [b"Host: arena", b"Connection: close", b"X-Forwarded-For: " + address.encode(), *headers]
    client.sendall(b"\r\n".join([line, *fields, b"", b""]))
    return client


def answer(probe: Probe, line: bytes, address: str = "127.0.0.1", *headers: bytes) -> tuple[bytes, bytes]:
    with closing(ask(probe, line, address, *headers)) as client:
        head, _, body = read_all(client).partition(b"\r\n\r\n")
    return head, body


@pytest.mark.parametrize("line", [b"GET x HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET http://arena/ HTTP/1.1"])
def test_a_target_without_a_slash_is_answered_400_and_logged_in_one_line(counting: Probe, line: bytes) -> None:
    target = line.split()[1].decode()
    head, body = answer(counting, line)
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert f"Received the target '{target}', expected one that begins with a slash".encode() in body
    said = counting.wait_for("INFO:arena.server.guards:127.0.0.1: 400")
    assert said.endswith(f"the target b'{target}' does not begin with a slash")
    assert counting.wait_for("DEBUG:arena.access:127.0.0.1:0 ") and answer(counting, b"GET / HTTP/1.1")[1] == b"hello"


def test_what_is_no_request_for_a_page_costs_half_of_one(counting: Probe) -> None:
    heads = [answer(counting, b"GET x HTTP/1.1", "203.0.113.50")[0] for _ in range(7)]
    assert [head.split(b" ")[1] for head in heads] == [b"400"] * 6 + [b"429"]


def test_an_address_that_asks_for_too_much_is_told_when_to_come_back(counting: Probe) -> None:
    get, address = b"GET / HTTP/1.1", "203.0.113.7"
    answers = [answer(counting, get, address) for _ in range(4)]
    assert [body for _, body in answers[:3]] == [b"hello"] * 3
    head, body = answers[3]
    assert head.startswith(b"HTTP/1.1 429 Too Many Requests\r\n") and b"\r\nRetry-After: " in head
    assert b"Your address asked for too many pages in a short time. Try again in " in body
    assert answer(counting, get, "203.0.113.8")[1] == answer(counting, get, "127.0.0.1")[1] == b"hello"


def test_where_nothing_comes_after_the_first_pages_the_next_one_is_refused() -> None:
    """`ARENA_LIMIT_PAGES=1,0`: it was not answered, and each wrote a traceback."""
    with Probe(limits=PATIENT | {"pages": [1, 0], "refusal_seconds": 0.1}, proxy_hops=1) as probe:
        heads = [answer(probe, b"GET / HTTP/1.1", "203.0.113.7")[0] for _ in range(2)]
        _, lines = probe.terminate()
    assert b" 200 " in heads[0] and b" 429 " in heads[1] and b"\r\nRetry-After: 3600" in heads[1]
    assert not any("Traceback" in line for line in lines)


def test_a_refusal_is_json_where_json_is_read(counting: Probe) -> None:
    address = "2001:db8::7"
    for number in range(3):
        assert answer(counting, b"GET / HTTP/1.1", f"2001:db8::{number}")[1] == b"hello"
    head, body = answer(counting, b"GET /api/matches/ HTTP/1.1", address)
    assert b" 429 " in head and b"Content-Type: application/json" in head
    assert json.loads(body)["error"]["code"] == "too_many"


def test_static_files_cost_a_tenth(counting: Probe) -> None:
    heads = [answer(counting, b"GET /scope HTTP/1.1", "203.0.113.30")[0] for _ in range(31)]
    assert [b" 429 " in head for head in heads] == [False] * 30 + [True]


def test_whoever_asks_for_much_at_once_waits_for_its_own_answers_and_nobody_elses(counting: Probe) -> None:
    with ExitStack() as stack:
        held = (b"GET /held HTTP/1.1", "203.0.113.20", b"Upgrade: something")
        slow = [stack.enter_context(closing(ask(counting, *held))) for _ in range(2)]
        assert counting.wait_for("held") and counting.wait_for("held")
        third = stack.enter_context(closing(ask(counting, b"GET / HTTP/1.1", "203.0.113.20")))
        assert answer(counting, b"GET / HTTP/1.1", "203.0.113.21")[1] == b"hello"
        assert select.select([third], [], [], 0)[0] == []
        assert answer(counting, b"GET /wake HTTP/1.1", "203.0.113.21")[1] == b"good morning"
        assert [read_all(each)[-4:] for each in (*slow, third)] == [b"held", b"held", b"ello"]


def test_behind_a_proxy_sockets_are_counted_for_whom_it_vouches(counting: Probe) -> None:
    from_there = {"X-Forwarded-For": "203.0.113.40"}
    with connect(counting.ws("/echo"), additional_headers=from_there):
        with connect(counting.ws("/echo"), additional_headers=from_there):
            with pytest.raises(InvalidStatus) as refused:
                connect(counting.ws("/echo"), additional_headers=from_there)
            assert refused.value.response.status_code == 429
        with connect(counting.ws("/echo"), additional_headers={"X-Forwarded-For": "203.0.113.41"}) as other:
            other.send("here")
            assert other.recv() == "here"
