"""The least that could carry the same moves: pairs the connections of one port and hands each line to the other side.

`python relay.py` prints `Ready PORT` and serves until its input ends.
"""

from __future__ import annotations

import asyncio
import sys


class Side(asyncio.Protocol):
    waiting: list[Side] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.buffer = b""
        if Side.waiting:
            self.other = Side.waiting.pop()
            self.other.other = self
            self.other.transport.write(b"NEW_GAME\nYOUR_MOVE\n")
            self.transport.write(b"NEW_GAME\n")
        else:
            Side.waiting.append(self)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            if line.startswith(b"PUT"):
                self.other.transport.write(line + b"\nYOUR_MOVE\n")


async def main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Side, "127.0.0.1", 0)
    print("Ready", server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin, ended.set)
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(main())
