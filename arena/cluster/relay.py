"""The host's end of its fronts: requests that a front passes on are served here as if they had come in over this
process's port.

A front sends the scope of a request or a websocket and then its ASGI messages; the same application runs on them here,
and its messages go back. So every page, form, stream and socket works over a front without knowing it.

A message for many (a frame for all watchers of a match) goes over the bus once, with the list of its receivers. Parts
of a long answer wait until the front has passed on earlier ones.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from arena.cluster.bus import Message

log = logging.getLogger("arena.cluster.relay")

# Messages of one connection that its application has not read yet.
MOST_UNREAD = 64
# Parts of an answer on their way.
WINDOW = 8
# How long an application may go on for a client that has left, and when everything ends.
GONE_S, LEAVE_S = 5.0, 1.0
# What a front says of a connection that it passes on.
OF_CONNECTIONS = ("open", "event", "ack")

Event = dict[str, Any]


class RelayBus(Protocol):
    """What the relay needs from a bus."""

    def send(self, peer: str, message: Message) -> None: ...
    def newest(self, peer: str) -> Message | None: ...


Application = Callable[[Event, Callable[[], Awaitable[Event]], Callable[[Event], Awaitable[None]]], Awaitable[None]]


class Streams(Protocol):
    """What a host tells its fronts besides the connections that they pass on."""

    def message(self, front: str, message: Message) -> None: ...
    def broken(self, front: str) -> None: ...
    def change_over(self) -> None: ...
    def close(self) -> None: ...


class Relay:
    """All connections that fronts hold for this host; messages from the bus that belong to none go to `streams`."""

    def __init__(self, application: Application, bus: RelayBus, streams: Streams | None = None) -> None:
        self._application = application
        self._bus = bus
        self._streams = streams
        self.connections: dict[tuple[str, int], RelayedConnection] = {}

    def message(self, front: str, message: Message) -> None:
        """Handle a message from a front."""
        if message["kind"] not in OF_CONNECTIONS:
            if self._streams is not None:
                self._streams.message(front, message)
            return
        key = front, message["id"]
        if message["kind"] == "open":
            self._open(key, unpacked_scope(message["scope"]))
        elif connection := self.connections.get(key):
            if message["kind"] == "ack":
                connection.window.release()
            else:
                connection.hear(unpacked(message["event"]))
                if message["event"]["type"].endswith(".disconnect"):
                    connection.end_soon()

    def broken(self, front: str) -> None:
        """The front is gone or restarting: its connections are over."""
        for key, connection in list(self.connections.items()):
            if key[0] == front:
                connection.leave()
        if self._streams is not None:
            self._streams.broken(front)

    async def close(self) -> None:
        """End all connections; their websockets are closed as for a restart."""
        if self._streams is not None:
            self._streams.close()
        for connection in self.connections.values():
            connection.leave()
        if tasks := [connection.task for connection in self.connections.values()]:
            _, late = await asyncio.wait(tasks, timeout=LEAVE_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _open(self, key: tuple[str, int], scope: Event) -> None:
        connection = self.connections[key] = RelayedConnection(scope["type"], lambda event: self._say(key, event))
        connection.task = asyncio.get_running_loop().create_task(self._serve(key, scope, connection))

    async def _serve(self, key: tuple[str, int], scope: Event, connection: RelayedConnection) -> None:
        try:
            await self._application(scope, connection.receive, connection.send)
        except Exception:
            log.exception("%s %s failed", scope["type"], scope["path"])
        finally:
            del self.connections[key]
            self._bus.send(key[0], {"kind": "end", "id": key[1]})

    def _say(self, key: tuple[str, int], event: Event) -> None:
        front, number = key
        said = packed(event)
        last = self._bus.newest(front)
        if last is not None and last["kind"] == "say" and last["event"] == said:
            last["ids"].append(number)
        else:
            self._bus.send(front, {"kind": "say", "ids": [number], "event": said})


class RelayedConnection:
    """One request or websocket of a front, as its application sees it."""

    task: asyncio.Task[None]

    def __init__(self, kind: str, say: Callable[[Event], None]) -> None:
        self.window = asyncio.Semaphore(WINDOW)
        self._kind = kind
        self._say = say
        self._unread: asyncio.Queue[Event] = asyncio.Queue(MOST_UNREAD)

    def hear(self, event: Event) -> None:
        """A front may read no more from its client than was asked for; one that does is cut off."""
        try:
            self._unread.put_nowait(event)
        except asyncio.QueueFull:
            self.task.cancel()

    def leave(self) -> None:
        """Its client is gone. The application is told and not just ended: it may have tasks that wait for that."""
        self.hear({"type": f"{self._kind}.disconnect"})
        self.end_soon()

    def end_soon(self) -> None:
        """An application may go on for a moment, but not for ever."""
        asyncio.get_running_loop().call_later(GONE_S, self.task.cancel)

    async def receive(self) -> Event:
        return await self._unread.get()

    async def send(self, event: Event) -> None:
        if event["type"] == "http.response.body":
            await self.window.acquire()
        self._say(event)


# -- ASGI as JSON: bytes are letters of Latin-1 ------------------------------------------------------------------------

_SCOPE = ("type", "http_version", "method", "scheme", "path", "root_path", "client", "server", "subprotocols")
_BYTES = ("raw_path", "query_string")


def packed_scope(scope: Event) -> Message:
    """The scope of a connection, packed for the bus."""
    message = {name: scope[name] for name in _SCOPE if name in scope}
    message |= {name: scope[name].decode("latin-1") for name in _BYTES if scope.get(name) is not None}
    return message | {"headers": _letters(scope["headers"])}


def unpacked_scope(message: Message) -> Event:
    scope = dict(message)
    scope |= {name: message[name].encode("latin-1") for name in _BYTES if name in message}
    return scope | {"headers": _bytes(message["headers"]), "asgi": {"version": "3.0"}}


def packed(event: Event) -> Message:
    """An ASGI message, packed for the bus."""
    message = dict(event)
    if "headers" in event:
        message["headers"] = _letters(event["headers"])
    for name in ("body", "bytes"):
        if event.get(name) is not None:
            message[name] = bytes(event[name]).decode("latin-1")
    return message


def unpacked(message: Message) -> Event:
    event = dict(message)
    if "headers" in message:
        event["headers"] = _bytes(message["headers"])
    for name in ("body", "bytes"):
        if message.get(name) is not None:
            event[name] = message[name].encode("latin-1")
    return event


def _letters(headers: Any) -> list[list[str]]:
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in headers]


def _bytes(headers: list[list[str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
