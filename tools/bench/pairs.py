"""The load of `pairs.c` for machines without a C compiler: the same arguments and commands, several times slower."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial

# 42 moves without four in a row, columns from 0: found by random play.
DRAWN = "436014551150160155104632660465204242223333"
UPGRADE = (
    b"GET /watch HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
HERE = "127.0.0.1"


class Load:
    """All bots: whether they may move, how many moves they have made, and which ones have been asked and wait."""

    def __init__(self, rooms: int) -> None:
        self.rooms = rooms
        self.playing = self.announced = False
        self.moves = 0
        self.asked: list[Bot] = []

    def ask(self, bot: Bot) -> None:
        if self.playing:
            bot.move()
            return
        self.asked.append(bot)
        if len(self.asked) == self.rooms and not self.announced:
            self.announced = True
            print("Ready", flush=True)

    def obey(self) -> None:
        commands = os.read(0, 4096).decode()
        if not commands:
            asyncio.get_running_loop().stop()
        for command in commands.split():
            if command == "count":
                print(self.moves, flush=True)
            elif command == "hold":
                self.playing = False
            else:
                self.play()

    def play(self) -> None:
        self.playing = True
        asked, self.asked = self.asked, []
        for bot in asked:
            bot.move()


class Bot(asyncio.Protocol):
    def __init__(self, load: Load, name: str, room: str) -> None:
        self.load, self.hello = load, f"NAME {name}\nJOIN {room}\n".encode()
        self.buffer = b""
        self.ply = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self.hello)

    def data_received(self, data: bytes) -> None:
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            if line.startswith(b"PUT"):
                self.ply += 1
            elif line == b"YOUR_MOVE":
                self.load.ask(self)
            elif line == b"NEW_GAME":
                self.ply = 0

    def move(self) -> None:
        column = DRAWN[self.ply % len(DRAWN)]
        self.ply += 1
        self.load.moves += 1
        self.transport.write(b"PUT " + column.encode() + b"\n")


class Watcher(asyncio.Protocol):
    """A websocket that reads, and answers nothing."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(UPGRADE)


async def main(port: int, rooms: int, watch_port: int | None = None) -> None:
    load = Load(rooms)
    loop = asyncio.get_running_loop()
    if watch_port is not None:
        for _ in range(rooms):
            await loop.create_connection(Watcher, HERE, watch_port)
    for number in range(2 * rooms):
        bot = Bot(load, f"b{number}", f"bench{id(load)}-{number // 2}")
        await loop.create_connection(partial(_this, bot), HERE, port)
    loop.add_reader(0, load.obey)


def _this(bot: Bot) -> Bot:
    return bot


if __name__ == "__main__":
    the_loop = asyncio.new_event_loop()
    the_loop.run_until_complete(main(*map(int, sys.argv[1:])))
    the_loop.run_forever()
