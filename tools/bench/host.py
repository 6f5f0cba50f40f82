"""The arena without its pages, for the benches: doors, referee, ledger, and one watcher for each running match.

`python -m tools.bench.host` prints `Ready DOOR_PORT WEBSOCKET_PORT`, answers every line of its input with its counters
(JSON), and serves until its input ends. It is the server of `manage.py serve` with another application: every websocket
is a screen that shows one match after another, rendered and sent by the product's own consumer. A reader of real pages
would connect again for each match.

Two facts of the protocol are changed: the number of rounds, so that a run of any length is one series, and the clock,
so that the load may stand still while the relay is measured. Deadlines are those of real play. More rooms may be open
than on a real server.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
os.environ.setdefault("ARENA_LIMIT_BOTS", "0,0")
django.setup()

from asgiref.sync import sync_to_async  # noqa: E402

from arena import host as hosting  # noqa: E402
from arena.bots.seats import unseated  # noqa: E402
from arena.core.hub import Hub, LiveMatch  # noqa: E402
from arena.protocols.droidcon.adapter import Droidcon  # noqa: E402
from arena.rooms import lobby  # noqa: E402
from arena.server.guards import ServerLimits  # noqa: E402
from arena.server.server import ArenaServer, run  # noqa: E402
from arena.transports.websocket import Receive, Send  # noqa: E402
from arena.web.match.frames import rendered  # noqa: E402
from arena.web.match.host_matches import matches  # noqa: E402
from arena.web.sockets.consumers import RoomConsumer, Scope  # noqa: E402
from tests.kit.storage import held  # noqa: E402
from tools.bench.stages import Sampler  # noqa: E402

lobby.MOST_ROOMS = unseated.MOST_UNSEATED = 10_000
Droidcon.rounds = 30_000
Droidcon.clock = "move:1h"

# The load's websockets only read, so they answer no ping.
LIMITS = ServerLimits(ping_seconds=3600)


sampler = Sampler()


class Screen(RoomConsumer):
    """A watcher that goes on to the next match by itself."""

    screens: list[Screen] = []

    def __init__(self) -> None:
        super().__init__("")

    async def find(self, scope: Scope) -> None:
        self._matches = matches()
        Screen.screens.append(self)

    @property
    def is_free(self) -> bool:
        return self._live is None or self._live.over

    def show(self, live: LiveMatch) -> None:
        if self._live is not None:
            self._matches.hub.unview(self._live, self)
        self._live, self._have, self._seen = live, 0, (-1, -1)
        self._matches.hub.view(live, self)
        self.wake()

    async def write(self) -> None:
        if self._live is not None:
            await super().write()


class WatchedHub(Hub):
    """Every new match is shown on a free screen, if there is one."""

    def add(self, live: LiveMatch) -> LiveMatch:
        super().add(live)
        for screen in Screen.screens:
            if screen.is_free:
                screen.show(live)
                break
        return live


async def websockets(scope: Scope, receive: Receive, send: Send) -> None:
    await Screen().run(scope, receive, send)


def counts() -> str:
    """Commits and frames so far, which thread is which, and the processor time of each stage."""
    return json.dumps(
        {
            "commits": hosting.here().ledger.commits.count,
            "frames": rendered.total(),
            "threads": {thread.name: thread.native_id for thread in threading.enumerate()},
            "stages": sampler.used,
        }
    )


def main() -> int:
    setattr(hosting, "Hub", WatchedHub)  # noqa: B010 - what the host makes its hub of
    server: list[ArenaServer] = []

    def obey() -> None:
        if sys.stdin.readline():
            print(counts(), flush=True)
        else:
            server[0].stop()

    async def start() -> None:
        host = await hosting.start(await sync_to_async(held)(), lambda error: server[0].stop(1))
        doors = await host.open_doors("127.0.0.1", {"droidcon": 0}, [])
        asyncio.get_running_loop().add_reader(sys.stdin, obey)
        if "--profile" in sys.argv:
            sampler.start()
        print("Ready", doors["droidcon"], server[0].port, flush=True)

    async def stop() -> None:
        await hosting.here().stop()

    return run(websockets, "127.0.0.1", 0, on_start=start, on_stop=stop, on_listening=server.append, limits=LIMITS)


if __name__ == "__main__":
    sys.exit(main())
