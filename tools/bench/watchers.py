"""The cost of a watcher: processor time of the server for each frame that reaches one of 500, against a bare ASGI
`send` of the same text under the same server, and against one of 50. The server is `watchers_host.py`, its readers are
here.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.kit.server import migrate
from tools.bench.figures import Figure, repeated
from tools.bench.load import MOST, of_others

HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Origin: http://127.0.0.1:{port}\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)
DEADLINE_S = 600


class Reader(asyncio.Protocol):
    """A websocket that discards what it receives."""

    def __init__(self) -> None:
        self.opened = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        if not self.opened.done():
            self.opened.set_result(data.split(b"\r\n", 1)[0])


class Load:
    """The server and its crowds. `many` and `few` watch a match, `bare` is as many as `many`.

    `data` is its own folder, because it would continue the matches that other benches have left in theirs.
    """

    def __init__(self, many: int, few: int, data: str) -> None:
        self._environment = {**os.environ, "ARENA_DATA": data}
        self.crowds = {f"/match/{many}": many, f"/match/{few}": few, f"/bare/{many}": many}
        self._transports: list[asyncio.BaseTransport] = []

    async def start(self) -> None:
        command = [sys.executable, "-m", "tools.bench.watchers_host"]
        pipe = subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(*command, env=self._environment, stdin=pipe, stdout=pipe)
        self._port = int((await self._line()).split()[1])
        for path, size in self.crowds.items():
            await self.open(path, size)

    @property
    def server(self) -> int:
        """The process number of the server."""
        return self._process.pid

    async def open(self, path: str, size: int) -> None:
        """Open this many more sockets."""
        for _ in range(size):
            await self._open(path)

    async def _open(self, path: str) -> None:
        transport, reader = await asyncio.get_running_loop().create_connection(Reader, "127.0.0.1", self._port)
        transport.write(HANDSHAKE.format(path=path, port=self._port).encode())
        async with asyncio.timeout(DEADLINE_S):
            status = await reader.opened
        assert b" 101 " in status, f"{path}: {status!r}"
        self._transports.append(transport)

    async def measure(self, path: str, moves: int) -> tuple[float, float]:
        """The processor time for each frame in µs, and its bytes."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path} {moves}\n".encode())
        found = json.loads(await self._line())
        return found["cpu"] / found["frames"] * 1e6, found["bytes"]

    async def _line(self) -> str:
        assert self._process.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            line = await self._process.stdout.readline()
        assert line, "the server has ended"
        return line.decode()

    async def stop(self) -> None:
        for transport in self._transports:
            transport.close()
        assert self._process.stdin is not None
        self._process.stdin.close()
        async with asyncio.timeout(DEADLINE_S):
            await self._process.wait()


def run(many: int = 500, few: int = 50, moves: int = 40, windows: int = 5, most: float = MOST) -> Iterator[Figure]:
    """`most` is the share of the machine that others may take before each window. Raises TooBusy."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as data:
        migrate(Path(data))
        yield from asyncio.run(_measured(many, few, data, moves, windows, most))


async def _measured(many: int, few: int, data: str, moves: int, windows: int, most: float) -> list[Figure]:
    load = Load(many, few, data)
    watched, fewer, bare = load.crowds
    found: dict[str, list[float]] = {path: [] for path in load.crowds}
    weights = []
    await load.start()
    try:
        for _ in range(windows):
            await asyncio.to_thread(of_others, most)
            # The bare sockets get the texts that the crowd before them got.
            for path in (fewer, watched, bare):
                micros, weight = await load.measure(path, moves)
                found[path].append(micros)
                weights.append(weight)
    finally:
        await load.stop()
    cost = {path: median(micros) for path, micros in found.items()}
    told = f"{cost[watched]:.0f} and {cost[bare]:.0f} µs a frame of {median(weights) / 1000:.1f} KB"
    return [
        repeated(
            f"a frame for {many} watchers / bare send", _ratios(found[watched], found[bare]), 0.6, told, at_most=True
        ),
        repeated(
            f"a frame for {many} watchers / for {few}",
            _ratios(found[watched], found[fewer]),
            1.3,
            f"{cost[watched]:.0f} and {cost[fewer]:.0f} µs",
            at_most=True,
        ),
    ]


def _ratios(these: list[float], those: list[float]) -> list[float]:
    return [one / other for one, other in zip(these, those, strict=True)]
