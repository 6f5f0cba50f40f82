"""The least program that can carry the same moves: it pairs the connections to one port and hands each line to the
other side.

`python relay.py` prints `Ready PORT` and serves until its input ends.
"""

from __future__ import annotations

import asyncio
import sys

ROOM = 512


class Side(asyncio.BufferedProtocol):
    """Reads into its own small buffer: asyncio would make one of 256 KiB for every line."""

    waiting: list[Side] = []

    def __init__(self) -> None:
        self.room = memoryview(bytearray(ROOM))
        self.begun = b""  # of a line that has not arrived completely

    def get_buffer(self, sizehint: int) -> memoryview:
        return self.room

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if Side.waiting:
            self.other = Side.waiting.pop()
            self.other.other = self
            self.other.transport.write(b"NEW_GAME\nYOUR_MOVE\n")
            self.transport.write(b"NEW_GAME\n")
        else:
            Side.waiting.append(self)

    def buffer_updated(self, nbytes: int) -> None:
        data = self.begun + self.room[:nbytes]
        *lines, self.begun = data.split(b"\n")
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
