"""Proxies for TCP in front of servers: one address for several of them, like HAProxy, and a slow line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self

from tests.kit.server import Server

PONG = 0xA
# Of a masked frame: two bytes at least, two or eight more for a larger size (RFC 6455 section 5.2), and the mask.
SIZES = {126: 2, 127: 8}


class Balanced(Server):
    """A port with other servers behind it, each connection with the first one that answers; serves nothing itself."""

    servers: tuple[Server, ...] = ()
    writers: list[asyncio.StreamWriter]

    @classmethod
    @asynccontextmanager
    async def between(cls, data: Path, *servers: Server) -> AsyncIterator[Self]:
        self = cls(data)
        self.servers, self.writers = servers, []
        listening = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = listening.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            listening.close()
            for writer in self.writers:
                writer.transport.abort()
            for writer in self.writers:
                with suppress(OSError):
                    await writer.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        for server in self.servers:
            with suppress(OSError):
                there, onward = await asyncio.open_connection("127.0.0.1", server.port)
                self.writers.append(onward)
                await asyncio.gather(self._up(reader, onward), self._pass(there, writer))
                return
        writer.transport.abort()

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._pass(reader, writer)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


class SlowLine(Balanced):
    """`held_s` is how long each byte takes in each direction, `pong_s` how long a pong of the browser takes besides."""

    held_s = pong_s = 0.0

    @classmethod
    @asynccontextmanager
    async def to(cls, server: Server, data: Path, held_s: float, pong_s: float = 0.0) -> AsyncIterator[Self]:
        async with cls.between(data, server) as self:
            self.held_s, self.pong_s = held_s, pong_s
            yield self

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Byte by byte, but for the frames of a websocket."""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n") if self.pong_s else b""
            self._later(self.held_s, writer, head)
            while b"upgrade: websocket" in head.lower():
                begin = await reader.readexactly(2)
                size = begin[1] & 0x7F
                large = await reader.readexactly(SIZES.get(size, 0))
                rest = await reader.readexactly(4 + (int.from_bytes(large) if large else size))
                held_s = self.held_s + self.pong_s * (begin[0] & 0xF == PONG)
                self._later(held_s, writer, begin + large + rest)
        await self._pass(reader, writer)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                self._later(self.held_s, writer, data)
        self._in(self.held_s + self.pong_s, writer.transport.abort)

    def _later(self, seconds: float, writer: asyncio.StreamWriter, data: bytes) -> None:
        self._in(seconds, lambda: writer.write(data) if not writer.is_closing() else None)

    def _in(self, seconds: float, act: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_later(seconds, act)
