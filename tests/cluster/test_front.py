"""A front with its host over a real Redis: requests, long answers and websockets, and what is said while it is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from arena.admin import acting
from arena.cluster import bus as bus_module
from arena.cluster import front as front_module
from arena.cluster import relay as relay_module
from arena.cluster.bus import Bus
from arena.cluster.bus_transports import BusTransport
from arena.cluster.front import AWAY, CLOSED, FOR_THE_HOST, LINES, MAY_PASS_ON, MAYBE_DONE, NOT_DONE, Front, HostAway
from arena.cluster.relay import Event, Relay
from arena.cluster.roles import Roles
from arena.server.guards import ServerLimits
from tests.cluster.test_bus import transports
from tests.kit.processes import Redis
from tests.kit.until import until

pytestmark = pytest.mark.service

CHUNKS = 40


class Client:
    """Who connects to the front: what it sends stands ready, what it hears is kept."""

    def __init__(self, front: Front | Roles, kind: str, path: str, *events: Event, method: str = "POST") -> None:
        self.heard: list[Event] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        for event in events:
            self._events.put_nowait(event)
        scope = {"type": kind, "path": path, "method": method, "headers": [], "query_string": b""}
        self.task = asyncio.ensure_future(front(scope, self._events.get, self._hear))

    async def _hear(self, event: Event) -> None:
        await self.reads.wait()
        self.heard.append(event)

    def say(self, event: Event) -> None:
        self._events.put_nowait(event)

    @property
    def body(self) -> bytes:
        return b"".join(event.get("body", b"") for event in self.heard)

    @property
    def texts(self) -> list[str]:
        return [event["text"] for event in self.heard if event["type"] == "websocket.send"]


async def application(scope: Event, receive: Any, send: Any) -> None:
    """The host's: echoes."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (event := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": event["text"].upper()})
        return
    if scope["path"] == "/silent/":
        await asyncio.Event().wait()
    lines = [(b"Content-Type", LINES)] if scope["path"] == "/lines/" else []
    await send({"type": "http.response.start", "status": 200, "headers": lines})
    if scope["path"] in ("/lines/", "/half/"):
        await send({"type": "http.response.body", "body": b"{}\n", "more_body": True})
        await asyncio.Event().wait()
    if scope["path"] == "/long/":
        for number in range(CHUNKS):
            await send({"type": "http.response.body", "body": b"%d " % number, "more_body": True})
    body = (await receive())["body"]
    await send({"type": "http.response.body", "body": scope["path"].encode() + body})


async def own(scope: Event, receive: Any, send: Any) -> None:
    """The front's own pages."""
    await receive()
    if scope["path"] == "/static/not-here":
        assert scope[MAY_PASS_ON]
        await send({"type": "http.response.start", "status": 503, "headers": [(FOR_THE_HOST.encode(), b"1")]})
        await send({"type": "http.response.body", "body": b"nobody sees this"})
        return
    if NOT_DONE in scope:
        await send({"type": "http.response.start", "status": 503, "headers": []})
        await send({"type": "http.response.body", "body": f"not done: {scope[NOT_DONE]}".encode()})
        return
    if MAYBE_DONE in scope:
        await send({"type": "http.response.start", "status": 503, "headers": []})
        await send({"type": "http.response.body", "body": f"maybe done: {scope[MAYBE_DONE]}".encode()})
        return
    await send({"type": "http.response.start", "status": 503 if scope["path"] == AWAY else 200, "headers": []})
    await send({"type": "http.response.body", "body": f"own {scope['method']} {scope['path']}".encode()})


REQUEST: Event = {"type": "http.request", "body": b"move=4", "more_body": False}
CONNECT: Event = {"type": "websocket.connect"}


class Pair:
    def __init__(self, one: BusTransport, other: BusTransport) -> None:
        self.bus: Bus = Bus(
            one, lambda peer, said: self.front.message(peer, said), lambda peer: self.front.broken(peer)
        )
        self.front: Front = Front(own, self.bus, lambda scope: scope["path"].startswith(("/static/", "/healthz")))
        self.host_bus: Bus = Bus(
            other, lambda peer, said: self.relay.message(peer, said), lambda peer: self.relay.broken(peer)
        )
        self.relay: Relay = Relay(application, self.host_bus)

    async def start(self) -> None:
        await self.bus.start()
        await self.host_bus.start()
        self.front.follow(self.host_bus.name)

    async def close(self) -> None:
        await self.relay.close()
        await self.bus.close()
        await self.host_bus.close()


@pytest.fixture
async def pair(redis: Redis, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    monkeypatch.setattr(bus_module, "BEAT_S", 0.1)
    pair = Pair(*transports(getattr(request, "param", "redis"), redis))
    await pair.start()
    yield pair
    await pair.close()


on_both = pytest.mark.parametrize("pair", ["redis", "socket"], indirect=True)


@on_both
async def test_a_request_is_answered_by_the_host(pair: Pair) -> None:
    client = Client(pair.front, "http", "/m/x/move/", REQUEST)
    await client.task
    assert client.body == b"/m/x/move/move=4"


@on_both
async def test_a_long_answer_comes_whole_and_in_order(pair: Pair) -> None:
    client = Client(pair.front, "http", "/long/", REQUEST)
    await client.task
    assert client.body.split()[:CHUNKS] == [b"%d" % number for number in range(CHUNKS)]


@on_both
async def test_static_files_and_health_stay_here(pair: Pair) -> None:
    for path in ("/static/css/arena.css", "/healthz"):
        client = Client(pair.front, "http", path, REQUEST)
        await client.task
        assert client.body == f"own POST {path}".encode()


@on_both
async def test_what_cannot_be_answered_here_is_asked_of_the_host(pair: Pair) -> None:
    client = Client(pair.front, "http", "/static/not-here", REQUEST, method="GET")
    await client.task
    assert (client.heard[0]["status"], client.body) == (200, b"/static/not-here")


@on_both
async def test_a_websocket_talks_with_the_host(pair: Pair) -> None:
    client = Client(pair.front, "websocket", "/ws/m/x/", CONNECT)
    client.say({"type": "websocket.receive", "text": "four"})
    await until(lambda: client.texts == ["FOUR"])
    client.say({"type": "websocket.disconnect", "code": 1001})
    await client.task


@on_both
async def test_without_a_host_it_says_so_and_closes_sockets_so_that_they_come_again(pair: Pair) -> None:
    pair.front.follow("")
    client = Client(pair.front, "http", "/m/x/move/", REQUEST)
    await client.task
    assert (client.heard[0]["status"], client.body) == (503, b"not done: /m/x/move/")
    client = Client(pair.front, "websocket", "/ws/m/x/", CONNECT)
    await client.task
    assert client.heard[-1]["code"] == 1012


def test_a_busy_host_is_waited_for_until_it_says_itself_that_it_takes_too_long() -> None:
    assert acting.DEADLINE_S < front_module.ANSWER_S < ServerLimits().response_seconds


@on_both
async def test_a_host_that_does_not_answer_is_not_waited_for_for_ever(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_module, "ANSWER_S", 0.2)
    monkeypatch.setattr(relay_module, "GONE_S", 0.2)
    client = Client(pair.front, "http", "/silent/", REQUEST, method="GET")
    await client.task
    assert (client.heard[0]["status"], client.body) == (503, f"own GET {AWAY}".encode())
    await until(lambda: not pair.relay.connections)


@on_both
async def test_an_act_is_waited_for_and_may_have_been_done_when_its_host_goes(pair: Pair) -> None:
    acting = Client(pair.front, "http", "/silent/", REQUEST)
    await until(lambda: bool(pair.relay.connections))
    assert not acting.task.done(), "the host has been told of it"
    pair.front.follow("")
    await acting.task
    assert acting.body == b"maybe done: /silent/"
    never_told = Client(pair.front, "http", "/silent/", REQUEST)
    await never_told.task
    assert never_told.body == b"not done: /silent/"


@on_both
async def test_an_act_is_not_waited_for_for_ever(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_module, "ANSWER_S", 0.1)
    acting = Client(pair.front, "http", "/silent/", REQUEST)
    await acting.task
    assert acting.body == b"maybe done: /silent/"


@on_both
async def test_a_host_that_goes_takes_its_sockets_with_it(pair: Pair) -> None:
    client = Client(pair.front, "websocket", "/ws/m/x/", CONNECT)
    await until(lambda: client.heard != [])
    await pair.host_bus.close()
    await client.task
    assert client.heard[-1] == {"type": "websocket.close", "code": 1012, "reason": "the arena changes over"}


@on_both
async def test_a_client_that_goes_leaves_nothing_at_the_host(pair: Pair) -> None:
    client = Client(pair.front, "websocket", "/ws/m/x/", CONNECT)
    await until(lambda: client.heard != [])
    client.task.cancel()
    await until(lambda: not pair.relay.connections)


@on_both
async def test_a_reader_that_is_too_slow_is_cut_off_and_leaves_nothing_at_the_host(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_module, "MOST_UNREAD", 3)
    client = Client(pair.front, "websocket", "/ws/m/x/", CONNECT)
    await until(lambda: client.heard != [])
    client.reads.clear()
    for number in range(8):
        client.say({"type": "websocket.receive", "text": f"{number}"})
    await until(lambda: not pair.front._connections)
    client.reads.set()
    await client.task
    assert client.heard[-1]["code"] == 1012
    await until(lambda: not pair.relay.connections)


async def test_redis_restarts_and_sockets_come_again(redis: Redis, pair: Pair) -> None:
    client = Client(pair.front, "websocket", "/ws/m/x/", CONNECT)
    await until(lambda: client.heard != [])
    await asyncio.to_thread(redis.stop)
    await client.task
    assert client.heard[-1]["code"] == 1012
    await asyncio.to_thread(redis.start)
    await until(lambda: pair.bus.up and pair.host_bus.up)
    again = Client(pair.front, "http", "/m/x/move/", REQUEST)
    await again.task
    assert again.body == b"/m/x/move/move=4"


@on_both
async def test_lines_end_in_order_when_the_host_has_gone_and_half_a_page_does_not(pair: Pair) -> None:
    stream, page = (Client(pair.front, "http", path, REQUEST) for path in ("/lines/", "/half/"))
    await until(lambda: stream.body == page.body == b"{}\n")
    pair.front.follow("")
    await stream.task
    assert stream.body == b"{}\n" + CLOSED and "more_body" not in stream.heard[-1]
    with pytest.raises(HostAway):
        await page.task
    assert page.body == b"{}\n"
