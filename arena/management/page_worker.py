"""One page worker of `manage.py serve --pages N` (`arena.cluster.pages`): makes the pages that need only committed
rows, on a connection that cannot write, and passes on the rest.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import TYPE_CHECKING

from arena.cluster import pages
from arena.cluster.bus import Bus, Message
from arena.cluster.bus_transports import SocketTransport
from arena.transports import own_process

if TYPE_CHECKING:
    from arena.cluster.front import Front
    from arena.cluster.relay import Application
    from arena.server.server import ArenaServer


def command(host: str, port: int, count: int) -> list[str]:
    """Starts one of `count` workers; `arena.cluster.pages.Pages` adds what it shares with it."""
    return [*own_process.command("arena.management.page_worker"), host, str(port), str(count)]


def main() -> None:
    """`HOST PORT COUNT LISTENING END PARENT`."""
    host, port, count, *shared = sys.argv[1:]
    listening, end = pages.in_the_worker(shared)
    os.environ["ARENA_PAGE_WORKER"] = "1"
    from arena.asgi import application  # sets Django up
    from arena.management.serving import server_options
    from arena.server.server import run

    worker = Worker(application, end)
    options = server_options(int(count))
    code = run(
        worker.front,
        host,
        int(port),
        on_start=worker.start,
        on_stop=worker.stop,
        on_listening=worker.listening,
        listening=listening,
        **options,
    )
    sys.exit(code)


class Worker:
    """This process, between its clients and the process that started it."""

    def __init__(self, application: Application, end: socket.socket) -> None:
        from arena.cluster.front import Front
        from arena.management.fronting import follower
        from arena.routing import stays

        self._bus = Bus(SocketTransport(end), self._message, self._broken, pages.WORKER)
        self.front: Front = Front(application, self._bus, stays, follower(self._bus))
        self._server: ArenaServer | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def listening(self, server: ArenaServer) -> None:
        from arena.web.host_names import Listening

        self._server = server
        Listening.host = server.host

    async def start(self) -> None:
        await self._bus.start()
        self.front.follow(pages.HOST)
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._say_alive()), loop.create_task(self._end_with_the_host())]

    async def stop(self) -> None:
        self.front.follow("")
        for task in self._tasks:
            task.cancel()
        await self._bus.close()

    def _message(self, peer: str, message: Message) -> None:
        if message["kind"] == "stop":
            self._stop()
        else:
            self.front.message(peer, message)

    def _broken(self, peer: str) -> None:
        self.front.broken(peer)

    def _stop(self) -> None:
        assert self._server is not None, "it listens before it starts"
        self._server.stop()

    async def _say_alive(self) -> None:
        while True:
            self._bus.send(pages.HOST, {"kind": "alive", "bytes": pages.memory()})
            await asyncio.sleep(pages.ALIVE_S)

    async def _end_with_the_host(self) -> None:
        await self._bus.ended.wait()
        self._stop()
