"""One address in front of several servers, like HAProxy: each connection goes to the first one that answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self

from tests.kit.server import Server


class Balanced(Server):
    """A port with other servers behind it; it serves nothing itself."""

    servers: tuple[Server, ...] = ()

    @classmethod
    @asynccontextmanager
    async def between(cls, data: Path, *servers: Server) -> AsyncIterator[Self]:
        self = cls(data)
        self.servers = servers
        listening = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = listening.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            listening.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for server in self.servers:
            with suppress(OSError):
                there, onward = await asyncio.open_connection("127.0.0.1", server.port)
                await asyncio.gather(_pass(reader, onward), _pass(there, writer))
                return
        writer.transport.abort()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
