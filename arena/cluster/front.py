"""A front: a process with pages and websockets that is not the host. It passes requests that need the host on to it,
and answers the others itself: static files, and those that the creator of the front picks.

While the host cannot be reached, pages are answered 503 in words, nothing is done twice, and sockets close with 1012 so
that pages connect again: to this process when it has become the host itself, or to the next host through it.

An action that was passed to the host may have been carried out even if its answer is lost: then the page says so and
checks.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from arena.cluster.bus import Bus, Message
from arena.cluster.relay import Application, Event, packed, packed_scope, unpacked

log = logging.getLogger("arena.cluster.front")

# How long the host may take to begin its answer: as long as a person waits for a page of a busy machine. The web server
# gives up at 30 s.
ANSWER_S = 25.0
QUESTIONS = ("GET", "HEAD", "OPTIONS")
# Messages of the host for one connection that its reader has not taken; a slower one is cut off.
MOST_UNREAD = 256
RESTART = 1012
# What a stream of lines says last when its host has gone, or this process goes.
LINES = b"application/x-ndjson"
# To a connection whose reader is too slow: the host has more for it, and is told that it is over.
CUT_OFF: Event = {}
CLOSED = b'{"type": "closed", "sentence": "This stream ends: the arena changes over. Ask again with since."}\n'

Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]


class HostFollower(Protocol):
    """What a front keeps about its host besides the connections that it passes on."""

    def message(self, message: Message) -> None: ...
    def follow(self, host: str) -> None: ...
    def broken(self) -> None: ...
    async def is_reached(self) -> bool:
        """Whether the host answers. One that has fallen silent is waited for only for a moment after that: who asks
        later would wait again until its silence is noticed.
        """
        ...


class HostAway(Exception):
    """The host cannot be reached, or disappeared in the middle of an answer."""


class Front:
    """The connections that this process holds for its host, whose name on the bus is `host` ("" while there is none).

    `own` is the application of this process: for the requests that `stays` picks by their scope, and for the words when
    the host is away. Messages of the host that belong to no connection go to `follower`.
    """

    def __init__(
        self, own: Application, bus: Bus, stays: Callable[[Event], bool], follower: HostFollower | None = None
    ) -> None:
        self.host = ""
        self._follower = follower
        self._own = own
        self._bus = bus
        self._stays = stays
        self._connections: dict[int, asyncio.Queue[Event | None]] = {}
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """Serve one connection, as any ASGI application does."""
        stays = self._stays(scope)
        if scope["type"] == "websocket":
            await (self._own if stays else self._websocket)(scope, receive, send)
        elif not stays:
            await self._request(scope, receive, send)
        elif not await self._answered_here({**scope, MAY_PASS_ON: True}, receive, send):
            await self._request(scope, _receive_nothing(receive), send)

    async def _answered_here(self, scope: Event, receive: Receive, send: Send) -> bool:
        """Whether this process could answer; if not, nothing was sent."""
        passes_on = False

        async def send_or_not(event: Event) -> None:
            nonlocal passes_on
            if event["type"] == "http.response.start":
                passes_on = any(name.lower() == FOR_THE_HOST.lower().encode() for name, _ in event["headers"])
            if not passes_on:
                await send(event)

        await self._own(scope, receive, send_or_not)
        return not passes_on

    # -- from the bus --------------------------------------------------------------------------------------------------

    def message(self, peer: str, message: Message) -> None:
        """Handle a message from the host."""
        if peer != self.host:
            return
        if message["kind"] == "end":
            self._tell(message["id"], None)
        elif message["kind"] == "say":
            for number in message["ids"]:
                self._tell(number, message["event"])
        elif self._follower is not None:
            self._follower.message(message)

    def broken(self, peer: str) -> None:
        """The host is gone or restarting: nothing more will come on any connection."""
        if peer == self.host:
            for number in list(self._connections):
                self._tell(number, None)
            if self._follower is not None:
                self._follower.broken()

    def follow(self, host: str) -> None:
        """From now on this is the host, "" if there is none."""
        if host != self.host:
            self.broken(self.host)
            self.host = host
            if self._follower is not None:
                self._follower.follow(host)

    async def is_reached(self) -> bool:
        """Whether the host can be told anything now."""
        if not self.host or not self._bus.up:
            return False
        return self._follower is None or await self._follower.is_reached()

    def _tell(self, number: int, event: Event | None) -> None:
        queue = self._connections.get(number)
        if queue is None:
            return
        if event is not None and queue.qsize() < MOST_UNREAD:
            queue.put_nowait(event)
        else:
            queue.put_nowait(None if event is None else CUT_OFF)
            self._connections.pop(number)

    # -- requests ------------------------------------------------------------------------------------------------------

    async def _request(self, scope: Event, receive: Receive, send: Send) -> None:
        passed, line = ClientInput(receive), _Line(self, scope)
        begun = lines = False
        try:
            async with line:
                reading = asyncio.ensure_future(line.pass_on(passed))
                try:
                    async for event in line.answer():
                        begun, lines = True, lines or _is_of_lines(event)
                        await send(event)
                finally:
                    reading.cancel()
                    await asyncio.gather(reading, return_exceptions=True)
        except HostAway:
            if lines:
                await send({"type": "http.response.body", "body": CLOSED})
            elif begun:
                raise
            else:
                await self._say_away(scope, send, line.told)

    async def _say_away(self, scope: Event, send: Send, told: bool) -> None:
        """Answer as a GET, which changes nothing: without a host in this process every page says so in words."""
        headers = [header for header in scope["headers"] if header[0] not in (b"content-length", b"content-type")]
        asked = {**scope, "method": "GET", "path": AWAY, "raw_path": AWAY.encode(), "headers": headers}
        asked[NOT_PASSED_ON] = f"{scope['method']} {scope['path']}"
        if scope["type"] == "http" and scope["method"] not in QUESTIONS:
            asked[MAYBE_DONE if told else NOT_DONE] = scope["path"]
        await self._own(asked, _receive_nothing(), send)

    # -- websockets ----------------------------------------------------------------------------------------------------

    async def _websocket(self, scope: Event, receive: Receive, send: Send) -> None:
        try:
            async with _Line(self, scope) as line:
                reading = asyncio.ensure_future(line.pass_on(ClientInput(receive)))
                try:
                    async for event in line.answer():
                        await send(event)
                finally:
                    reading.cancel()
                    await asyncio.gather(reading, return_exceptions=True)
        except HostAway:
            await send({"type": "websocket.close", "code": RESTART, "reason": "the arena changes over"})


# A page that needs the host, and so says in words that there is none.
AWAY = "/watch/"
# In the scope of what it is asked: the request that could not be passed on; if it was an act, its address, of which the
# host has been told or not.
NOT_PASSED_ON, MAYBE_DONE, NOT_DONE = "arena.not_passed_on", "arena.maybe_done", "arena.not_done"
# In the scope of what is asked here first: an answer with this header is not sent, the host is asked.
MAY_PASS_ON, FOR_THE_HOST = "arena.may_pass_on", "X-Arena-For-The-Host"


class ClientInput:
    """What the client sends, until it disconnects."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.over = False

    async def next(self) -> Event:
        event = await self._receive()
        self.over = event["type"].endswith(".disconnect")
        return event


def _receive_nothing(then: Receive | None = None) -> Receive:
    """A request without a body, from a client that stays connected or then does what `then` says."""
    said = False

    async def receive() -> Event:
        nonlocal said
        if said and then is not None:
            return await then()
        if said:
            await asyncio.Event().wait()
        said = True
        return {"type": "http.request", "body": b"", "more_body": False}

    return receive


class _Line:
    """One connection of a client to the host, as long as it lasts. Raises HostAway if it ends too early."""

    def __init__(self, front: Front, scope: Event) -> None:
        self._front, self._scope = front, scope
        self._bus, self._host = front._bus, front.host
        self._number = next(front._numbers)
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._left = False
        self._ended = False
        self.told = False

    async def __aenter__(self) -> _Line:
        if not await self._front.is_reached() or self._front.host != self._host:
            raise HostAway
        self._front._connections[self._number] = self._queue
        self.told = True
        self._bus.send(self._host, {"kind": "open", "id": self._number, "scope": packed_scope(self._scope)})
        return self

    async def __aexit__(self, *error: object) -> None:
        self._front._connections.pop(self._number, None)
        if not self._ended and not self._left:
            self._say({"type": f"{self._scope['type']}.disconnect"})

    async def pass_on(self, passed: ClientInput) -> None:
        """Pass on to the host what the client sends."""
        while not passed.over:
            event = await passed.next()
            self._left = passed.over
            self._say(event)

    def _say(self, event: Event) -> None:
        if self._front.host == self._host:
            self._bus.send(self._host, {"kind": "event", "id": self._number, "event": packed(event)})

    async def answer(self) -> Any:
        """Pass on what the host answers, to the end."""
        whole = False
        try:
            async with asyncio.timeout(ANSWER_S):
                event = await self._queue.get()
        except TimeoutError:
            raise HostAway from None
        while event:
            whole = _is_last(event)
            yield unpacked(event)
            if event["type"] == "http.response.body":
                self._bus.send(self._host, {"kind": "ack", "id": self._number})
            event = await self._queue.get()
        self._ended = event is not CUT_OFF
        if not whole and not self._left:
            raise HostAway


def _is_of_lines(event: Event) -> bool:
    """Whether this begins an answer of whole lines, which may end after any of them; a page would be incomplete."""
    headers = event["headers"] if event["type"] == "http.response.start" else ()
    return any(name.lower() == b"content-type" and value.startswith(LINES) for name, value in headers)


def _is_last(event: Event) -> bool:
    """Whether an answer may end with this."""
    kind = event["type"]
    return kind == "websocket.close" or (kind == "http.response.body" and not event.get("more_body"))
