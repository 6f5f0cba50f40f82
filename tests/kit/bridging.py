"""The two ends of a bridge for tests: its process, and an arena that says only what the test tells it to."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.kit.deadline import DEADLINE_S
from tests.kit.samples import BRIDGE
from tests.kit.server import Server


class Bridge:
    """One run of the bridge."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said = ""

    async def says(self, words: str, times: int = 1) -> None:
        """Wait until its stderr, which is the bot's as well, contains these words that many times."""
        assert self.process.stderr is not None, "it is a pipe"
        async with asyncio.timeout(DEADLINE_S):
            while self.said.count(words) < times:
                line = await self.process.stderr.readline()
                assert line, f"it ended after {self.said!r}"
                self.said += line.decode()

    async def ends(self) -> int:
        """Its exit code; `said` is then complete."""
        assert self.process.stderr is not None, "it is a pipe"
        async with asyncio.timeout(DEADLINE_S):
            self.said += (await self.process.stderr.read()).decode()
            return await self.process.wait()


@asynccontextmanager
async def bridge(
    port: int, *words: str, bot: list[str] | None = None, typed: str = "", **environment: str
) -> AsyncIterator[Bridge]:
    command = [sys.executable, str(BRIDGE), "127.0.0.1", str(port), *words]
    process = await asyncio.create_subprocess_exec(
        *command,
        *(["--", *bot] if bot else []),
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    assert process.stdin is not None, "it is a pipe"
    process.stdin.write(typed.encode())
    process.stdin.close()
    try:
        yield Bridge(process)
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


class Guest:
    """One connection to the arena."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def hears(self, data: bytes) -> None:
        async with asyncio.timeout(DEADLINE_S):
            assert await self._reader.readexactly(len(data)) == data

    async def hears_line(self) -> str:
        async with asyncio.timeout(DEADLINE_S):
            return (await self._reader.readline()).decode().strip()

    async def hears_the_end(self) -> bytes:
        async with asyncio.timeout(DEADLINE_S):
            return await self._reader.read()

    def say(self, data: bytes) -> None:
        self._writer.write(data)

    def close(self) -> None:
        self._writer.close()

    def reset(self) -> None:
        """Break the connection, like a crash of the machine or of the network."""
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.close()


class Arena:
    """A port that says only what the test tells it to."""

    def __init__(self) -> None:
        self.port = 0
        self._guests: asyncio.Queue[Guest] = asyncio.Queue()
        self._writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        def came(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._writers.append(writer)
            self._guests.put_nowait(Guest(reader, writer))

        self._server = await asyncio.start_server(came, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Listen no more. Connections stay."""
        if self._server is not None:
            self._server.close()

    async def end(self) -> None:
        """Close, with all connections."""
        self.close()
        for writer in self._writers:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def guest(self) -> Guest:
        async with asyncio.timeout(DEADLINE_S):
            return await self._guests.get()


class Rival:
    """The other player of a droidcon room: it plays the first free column, when the test lets it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._discs = [0] * 7
        self.results = 0

    @classmethod
    async def join(cls, server: Server) -> Rival:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.doors["droidcon"])
        writer.write(b"NAME rival\nJOIN lab\n")
        return cls(reader, writer)

    async def leave(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def play(self, moves: int) -> None:
        """Answer this many requests, or until the connection ends."""
        while moves:
            async with asyncio.timeout(DEADLINE_S):
                words = (await self._reader.readline()).decode().split()
            if not words:
                return
            self.results += words[0] in ("YOU_WON", "YOU_LOST", "DRAW")
            if words[0] == "NEW_GAME":
                self._discs = [0] * 7
            elif words[0] == "PUT":
                self._discs[int(words[1])] += 1
            elif words[0] == "YOUR_MOVE":
                column = next(column for column in (1, 5, 0, 6, 2, 4, 3) if self._discs[column] < 6)
                self._discs[column] += 1
                self._writer.write(f"PUT {column}\n".encode())
                moves -= 1
