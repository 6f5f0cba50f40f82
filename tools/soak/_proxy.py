"""A TCP proxy that can be cut or delayed: the network between one server and one store."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress


class Proxy:
    """Listens on `where` at the port of a store on 127.0.0.1, or at another one, and passes bytes on, each piece after
    `delay_s`, until it is cut.
    """

    def __init__(self, where: str, port: int, listens: int | None = None, delay_s: float = 0.0) -> None:
        self._where, self._port, self.listens, self._delay_s = where, port, listens or port, delay_s
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._refusing = False
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()

    async def start(self, listening: socket.socket | None = None) -> None:
        """Listen, on `listening` if it is given."""
        if listening is not None:
            self._server = await asyncio.start_server(self._connected, sock=listening)
        else:
            self._server = await asyncio.start_server(self._connected, self._where, self.listens)

    async def stop(self) -> None:
        self.heal()
        if self._server is not None:
            self._server.close()
        self._drop()

    async def cut(self, *, silently: bool) -> None:
        """Cut the network. Silently: bytes are held back, as if a cable had been pulled. Otherwise every connection is
        reset, and every new one.
        """
        if silently:
            self._flowing.clear()
        else:
            self._refusing = True
            self._drop()

    def heal(self) -> None:
        if not self._flowing.is_set():
            self._drop()
        self._refusing = False
        self._flowing.set()

    def _drop(self) -> None:
        for line in list(self._lines):
            line.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.add(writer)
        try:
            if self._refusing:
                return
            await self._flowing.wait()
            there, onward = await asyncio.open_connection("127.0.0.1", self._port)
            self._lines.add(onward)
            try:
                await asyncio.gather(self._pass(reader, onward), self._pass(there, writer))
            finally:
                self._lines.discard(onward)
                onward.transport.abort()
        except OSError:
            """One side has gone, and the other with it."""
        finally:
            self._lines.discard(writer)
            writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flowing.wait()
                await asyncio.sleep(self._delay_s)
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
