"""ASGI over the bus: what goes in comes out as it was, and what is said to many goes once."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from arena.cluster.bus import Message
from arena.cluster.relay import WINDOW, Event, Relay, packed, packed_scope, unpacked, unpacked_scope
from tests.kit.until import until

SCOPE: Event = {
    "type": "http",
    "http_version": "1.1",
    "method": "POST",
    "scheme": "https",
    "path": "/r/otter ö/",
    "raw_path": b"/r/otter%20%C3%B6/",
    "root_path": "",
    "query_string": b"a=\xff",
    "client": ["192.0.2.7", 5123],
    "server": ["127.0.0.1", 8000],
    "headers": [(b"cookie", b"sessionid=abc"), (b"x-name", b"\xe9")],
}


class Line:
    """The bus as the relay uses it: what it says to each front is kept."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Message]] = []

    def send(self, peer: str, message: Message) -> None:
        self.said.append((peer, message))

    def newest(self, peer: str) -> Message | None:
        return next((message for to, message in reversed(self.said) if to == peer), None)


def relay(application: Any) -> tuple[Relay, Line]:
    line = Line()
    return Relay(application, line), line


def opened(number: int, scope: Event = SCOPE) -> Message:
    return {"kind": "open", "id": number, "scope": packed_scope(scope)}


def test_a_scope_and_its_messages_are_the_same_on_the_other_side() -> None:
    assert unpacked_scope(packed_scope(SCOPE)) == {**SCOPE, "asgi": {"version": "3.0"}}
    for event in (
        {"type": "http.request", "body": b"move=4\xff\x00", "more_body": False},
        {"type": "http.response.start", "status": 303, "headers": [(b"location", b"/m/x/")]},
        {"type": "websocket.send", "text": "<div>ö</div>"},
        {"type": "websocket.receive", "bytes": None, "text": "{}"},
    ):
        assert unpacked(packed(event)) == event


async def test_a_request_is_answered() -> None:
    async def echo(scope: Event, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode() + body})

    host, line = relay(echo)
    host.message("f", opened(7))
    body = packed({"type": "http.request", "body": b" 4", "more_body": False})
    host.message("f", {"kind": "event", "id": 7, "event": body})
    await until(lambda: ("f", {"kind": "end", "id": 7}) in line.said)
    answers = [unpacked(message["event"]) for _, message in line.said if message["kind"] == "say"]
    assert [answer.get("body") for answer in answers] == [None, "/r/otter ö/ 4".encode()]


@pytest.mark.long
async def test_what_is_said_to_many_goes_over_the_bus_once() -> None:
    go = asyncio.Event()

    async def watch(scope: Event, receive: Any, send: Any) -> None:
        await go.wait()
        await send({"type": "websocket.send", "text": "a frame"})
        await asyncio.Event().wait()

    host, line = relay(watch)
    for number in range(500):
        host.message("f", opened(number, {**SCOPE, "type": "websocket"}))
    host.message("g", opened(1, {**SCOPE, "type": "websocket"}))
    go.set()
    await until(lambda: sum(len(message["ids"]) for _, message in line.said) == 501)
    assert sorted((peer, len(message["ids"])) for peer, message in line.said) == [("f", 500), ("g", 1)]
    await host.close()


@pytest.mark.long
async def test_a_long_answer_waits_for_its_reader() -> None:
    async def long(scope: Event, receive: Any, send: Any) -> None:
        while True:
            await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": True})

    host, line = relay(long)
    host.message("f", opened(1))
    await until(lambda: len(line.said) == 1 and len(line.said[0][1]["ids"]) == WINDOW)
    host.message("f", {"kind": "ack", "id": 1})
    await until(lambda: len(line.said[0][1]["ids"]) == WINDOW + 1)
    await host.close()


@pytest.mark.long
async def test_a_front_that_has_gone_takes_its_connections_with_it() -> None:
    ended: list[str] = []

    async def stay(scope: Event, receive: Any, send: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(scope["path"])

    host, _ = relay(stay)
    host.message("f", opened(1, {**SCOPE, "path": "/f"}))
    host.message("g", opened(1, {**SCOPE, "path": "/g"}))
    await asyncio.sleep(0)
    host.broken("f")
    await until(lambda: ended == ["/f"])
    await host.close()
    assert ended == ["/f", "/g"]


@pytest.mark.parametrize("end", ["front", "relay"])
async def test_an_application_hears_that_its_client_is_gone(end: str, caplog: pytest.LogCaptureFixture) -> None:
    """Django listens for it in a task of its own, which nobody would await if the application were only cancelled."""
    heard: list[str] = []

    async def listen(receive: Any) -> None:
        heard.append((await receive())["type"])

    async def answer(scope: Event, receive: Any, send: Any) -> None:
        await asyncio.wait([asyncio.ensure_future(listen(receive))])

    host, line = relay(answer)
    host.message("f", opened(1))
    await asyncio.sleep(0)
    if end == "front":
        host.broken("f")
    else:
        await host.close()
    await until(lambda: ("f", {"kind": "end", "id": 1}) in line.said)
    assert heard == ["http.disconnect"]
    gc.collect()
    assert not caplog.records


async def test_a_front_that_floods_a_connection_loses_it() -> None:
    async def deaf(scope: Event, receive: Any, send: Any) -> None:
        await asyncio.Event().wait()

    host, line = relay(deaf)
    host.message("f", opened(1))
    await asyncio.sleep(0)
    for _ in range(100):
        host.message("f", {"kind": "event", "id": 1, "event": {"type": "websocket.receive", "text": "x"}})
    await until(lambda: ("f", {"kind": "end", "id": 1}) in line.said)


async def test_what_fails_ends_alone() -> None:
    async def fail(scope: Event, receive: Any, send: Any) -> None:
        raise ValueError("broken")

    host, line = relay(fail)
    host.message("f", opened(1))
    await until(lambda: ("f", {"kind": "end", "id": 1}) in line.said)
    host.message("f", {"kind": "event", "id": 1, "event": {"type": "http.disconnect"}})
