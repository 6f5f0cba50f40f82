"""Transports for the bus: Redis between machines, a Unix socket between two processes of one machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

# So long a connection may take to come about, and one envelope to be handed over.
CONNECT_S = 3.0
# Between two looks at whether Redis is still there.
LOOK_S = 2.0
# In front of each envelope on a socket: how many bytes it has.
_LENGTH = 4


class BusTransport(Protocol):
    """Carries text between named processes without interpreting it."""

    async def listen(self, name: str, begun: Callable[[], None], heard: Callable[[str], None]) -> None:
        """Receive what is sent to `name`. `begun` is called once listening, `heard` with each text.

        Returns when nothing more can ever come. Raises OSError if it is worth trying again.
        """
        ...

    async def publish(self, peer: str, text: str) -> bool:
        """Send; returns whether a listener received it in time."""
        ...

    async def close(self) -> None: ...


class RedisTransport:
    """The transport between machines. Several arenas may share one Redis, each with its own prefix."""

    def __init__(self, url: str, prefix: str) -> None:
        import redis.asyncio as redis  # a tenth of a second, which a server alone need not wait
        from redis.exceptions import RedisError

        self._prefix = prefix
        self._failures = RedisError
        self._redis = redis.Redis.from_url(url, socket_connect_timeout=CONNECT_S, health_check_interval=5)

    async def listen(self, name: str, begun: Callable[[], None], heard: Callable[[str], None]) -> None:
        try:
            async with self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:
                await pubsub.subscribe(f"{self._prefix}:{name}")
                await pubsub.get_message(timeout=CONNECT_S)
                begun()
                while True:
                    message = await pubsub.get_message(timeout=LOOK_S)
                    if message is not None:
                        heard(message["data"])
        except self._failures as error:
            raise ConnectionError(f"Redis: {error}") from error

    async def publish(self, peer: str, text: str) -> bool:
        for _ in range(2):  # a connection that a restart of Redis has cut is noticed at its next use
            with suppress(self._failures, OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_S):
                    return bool(await self._redis.publish(f"{self._prefix}:{peer}", text))
        return False

    async def close(self) -> None:
        with suppress(self._failures, OSError):
            await self._redis.aclose()


class SocketTransport:
    """One end of a pair of Unix sockets: there is one peer, whatever its name; the transport ends with it."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._writer: asyncio.StreamWriter | None = None

    async def listen(self, name: str, begun: Callable[[], None], heard: Callable[[str], None]) -> None:
        reader, self._writer = await asyncio.open_unix_connection(sock=self._end)
        begun()
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                length = int.from_bytes(await reader.readexactly(_LENGTH), "big")
                heard((await reader.readexactly(length)).decode())

    async def publish(self, peer: str, text: str) -> bool:
        """What a peer does not read waits here, at most one envelope; then the bus breaks with the peer."""
        data = text.encode()
        if self._writer is None or self._writer.is_closing():
            return False
        with suppress(OSError, TimeoutError):
            self._writer.write(len(data).to_bytes(_LENGTH, "big") + data)
            async with asyncio.timeout(CONNECT_S):
                await self._writer.drain()
            return True
        return False

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()
            with suppress(OSError):
                await self._writer.wait_closed()
        self._end.close()
