"""The other end of a socket; it keeps every byte that it received."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Self

import games
from tests.kit.deadline import DEADLINE_S


class Wire:
    """One connection. `heard` is everything that the arena has sent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard = b""
        self._reader, self._writer = reader, writer

    @classmethod
    async def opened(cls, port: int, address: str = "127.0.0.1") -> Self:
        """A connection from this address of ours."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0)))

    @classmethod
    @asynccontextmanager
    async def to(cls, port: int, address: str = "127.0.0.1") -> AsyncIterator[Self]:
        wire = await cls.opened(port, address)
        try:
            yield wire
        finally:
            await wire.close()

    @property
    def peer(self) -> str:
        """The arena's name for this end."""
        host, port = self._writer.get_extra_info("sockname")
        return f"{host}:{port}"

    async def send(self, *lines: str) -> None:
        await self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    async def send_bytes(self, data: bytes) -> None:
        self._writer.write(data)
        async with asyncio.timeout(DEADLINE_S):
            await self._writer.drain()

    async def line(self) -> str:
        """The next line, "" at the end of the connection."""
        async with asyncio.timeout(DEADLINE_S):
            line = await self._reader.readline()
        self.heard += line
        return line.decode("ascii").removesuffix("\n")

    async def some(self) -> bytes:
        """What has arrived, for protocols without line ends; b"" at the end of the connection, however it ends."""
        async with asyncio.timeout(DEADLINE_S):
            try:
                data = await self._reader.read(65536)
            except ConnectionError:
                return b""
        self.heard += data
        return data

    async def until(self, last: str) -> list[str]:
        """The lines up to this one."""
        lines = [await self.line()]
        while lines[-1] != last:
            assert lines[-1] or last == "", f"the connection ended after {lines}, before {last!r}"
            lines.append(await self.line())
        return lines

    async def rest(self) -> list[str]:
        """The lines up to the end of the connection, however it ends."""
        lines = []
        with suppress(ConnectionError):
            while line := await self.line():
                lines.append(line)
        return lines

    async def hear(self) -> None:
        """Everything to the end of the connection, into `heard`."""
        while await self.some():
            pass

    def finish(self) -> None:
        """End our side, and still read."""
        self._writer.write_eof()

    def reset(self) -> None:
        """Go without an end of what was sent, as a computer that is switched off and on again."""
        linger = struct.pack("ii", 1, 0)
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.transport.abort()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


class Droidcon(Wire):
    """A bot that speaks droidcon."""

    async def enter(self, name: str, code: str) -> None:
        """Send name and room in one segment, like real bots."""
        await self.send(f"NAME {name}", f"JOIN {code}")
        assert [await self.line(), await self.line()] == ["SUCCESS", "SUCCESS"]

    async def play(self, column: Callable[[], int]) -> list[str]:
        """Answer every question until the arena closes; returns the lines received."""
        lines = []
        while line := await self.line():
            lines.append(line)
            if line == "YOUR_MOVE":
                await self.send(f"PUT {column()}")
        return lines

    async def play_anything(self) -> list[str]:
        """As `play`, with the first column that is free."""
        lines, position = [], games.variant("connect-four-7x6").start()
        while line := await self.line():
            lines.append(line)
            if line == "NEW_GAME":
                position = games.variant("connect-four-7x6").start()
            elif line.startswith("PUT "):
                position = position.play(str(int(line[4:]) + 1))
            elif line == "YOUR_MOVE":
                move = position.legal_moves()[0]
                position = position.play(move)
                await self.send(f"PUT {int(move) - 1}")
        return lines


async def filling(wire: Wire) -> None:
    """Play Connect Four with `fiar`: the side that begins fills the first column, the other one the second."""
    while line := await wire.line():
        await wire.send("1" if line.startswith("@") else "2")
