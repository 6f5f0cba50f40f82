"""A front beside the host in a test's own loop: a bus over a pair of Unix sockets, and what both ends keep."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arena.cluster.bus import Bus, Message
from arena.cluster.bus_transports import SocketTransport
from arena.web.following.mirror import FrontMirror
from arena.web.following.publisher import Publisher

HOST, FRONT = "host", "front"


class Following:
    """`mirror` is the front's end, `publisher` the host's; `said` is what the host has said, which is
    nothing more while it `hangs`.
    """

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.said: list[Message] = []
        self.hangs = False
        self.host_bus = Bus(SocketTransport(ours), self._to_host, self._host_lost, HOST)
        self.publisher = Publisher(self.host_bus)
        self.front_bus = Bus(SocketTransport(theirs), self._to_front, self._front_lost, FRONT)
        self.mirror = FrontMirror(self.front_bus)

    def kinds(self, kind: str) -> list[Message]:
        return [message for message in self.said if message["kind"] == kind]

    def _to_host(self, peer: str, message: Message) -> None:
        if self.hangs:
            return
        self.publisher.message(peer, message)

    def _host_lost(self, peer: str) -> None:
        self.publisher.broken(peer)

    def _to_front(self, peer: str, message: Message) -> None:
        self.said.append(message)
        self.mirror.message(message)

    def _front_lost(self, peer: str) -> None:
        self.mirror.broken()


@asynccontextmanager
async def following() -> AsyncIterator[Following]:
    """While it lasts the front follows the host of this loop."""
    both = Following()
    await both.host_bus.start()
    await both.front_bus.start()
    both.mirror.follow(HOST)
    try:
        yield both
    finally:
        both.mirror.follow("")
        both.publisher.close()
        await both.front_bus.close()
        await both.host_bus.close()
