"""A page worker without pages: it says that it is there, and does what its first argument says."""

from __future__ import annotations

import asyncio
import sys

from arena.cluster import pages
from arena.cluster.bus import Bus, Message
from arena.cluster.bus_transports import SocketTransport


async def main(does: str, shared: list[str]) -> None:
    _, end = pages.in_the_worker(shared)
    over = asyncio.Event()

    def told(peer: str, message: Message) -> None:
        if message["kind"] == "stop" and does != "deaf":
            over.set()

    bus = Bus(SocketTransport(end), told, lambda peer: None, pages.WORKER)
    await bus.start()
    if does == "fails":
        sys.exit(1)
    bus.send(pages.HOST, {"kind": "alive", "bytes": 1 << 40 if does == "grows" else 1 << 20})
    while not over.is_set():
        await asyncio.sleep(0.05)
        bus.send(pages.HOST, {"kind": "alive", "bytes": 1 << 40 if does == "grows" else 1 << 20})
    await bus.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
