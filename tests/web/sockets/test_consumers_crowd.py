"""Many real websockets on one match: one render, one encoding, and nobody waits for who does not read."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.server.websockets import BEHIND_BYTES
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import migrate
from tools.bench.watchers import HANDSHAKE

WATCHERS, MOVES = 120, 24
PATH, SLOW = f"/match/{WATCHERS}", f"/slow/{WATCHERS}"


class Watching(asyncio.Protocol):
    """A websocket that keeps what it is sent."""

    def __init__(self) -> None:
        self.data = b""
        self.more = asyncio.Event()
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        self.more.set()

    async def until(self, part: bytes) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while part not in self.data:
                self.more.clear()
                await self.more.wait()


class Crowded:
    """The server of the bench, which is the product's with a match that plays when it is told to."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self._process, self._port = process, port

    async def watch(self, path: str) -> Watching:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        await asyncio.get_running_loop().sock_connect(line, ("127.0.0.1", self._port))
        _, watching = await asyncio.get_running_loop().create_connection(Watching, sock=line)
        watching.transport.write(HANDSHAKE.format(path=path, port=self._port).encode())
        await watching.until(b" 101 ")
        return watching

    async def play(self, moves: int) -> dict[str, float]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{PATH} {moves}\n".encode())
        return dict(json.loads(await line_of(self._process)))


async def line_of(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        return (await process.stdout.readline()).decode()


@asynccontextmanager
async def crowded(data: Path) -> AsyncIterator[Crowded]:
    command = [sys.executable, "-m", "tools.bench.watchers_host"]
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, "ARENA_DATA": str(data)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield Crowded(process, int((await line_of(process)).split()[1]))
    finally:
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(DEADLINE_S):
            await process.wait()


@pytest.mark.long
async def test_a_crowd_is_sent_one_frame_and_who_does_not_read_holds_nobody(tmp_path: Path) -> None:
    migrate(tmp_path)
    async with crowded(tmp_path) as server:
        crowd = [await server.watch(PATH) for _ in range(WATCHERS)]
        stopped = await server.watch(SLOW)
        stopped.transport.pause_reading()
        largest = 0.0
        for match in range(1, 5):  # returns when all that read have seen all: 100 KB a match for each of them
            found = await server.play(MOVES)
            assert found["frames"] >= WATCHERS * MOVES
            assert MOVES <= found["encodings"] <= found["renders"] <= 2 * MOVES
            largest = max(largest, found["bytes"])
            assert found["unsent"] <= BEHIND_BYTES + 2 * largest, f"match {match}: the one that stopped grows"
        for watching in crowd:
            await watching.until(f'id="m-{MOVES}"'.encode())
        stopped.transport.resume_reading()
        await stopped.until(b"it was long enough")
        for watching in (*crowd, stopped):
            watching.transport.close()
