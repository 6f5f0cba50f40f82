"""The server of `watchers.py`: crowds of websockets on the server of `manage.py serve`, and a match that they watch.

`python -m tools.bench.watchers_host` prints `Ready PORT`. A socket belongs to the crowd that its path names:
`/match/500` are watchers through the product's consumer; `/bare/500` get the same texts from a bare loop over the ASGI
`send` of each. `/slow/500` watches with `/match/500`, and nobody waits until it has seen a frame. For each line `PATH
MOVES` of its input it shows that crowd this many moves, and answers in JSON with the processor time of all threads of
the process, how many frames were sent, rendered and encoded, and how many bytes wait for the slowest reader. It serves
until its input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
django.setup()

from asgiref.sync import sync_to_async  # noqa: E402

import games  # noqa: E402
from arena import host as hosting  # noqa: E402
from arena.core.hub import LiveMatch  # noqa: E402
from arena.match.state import SeatSetup, Setup  # noqa: E402
from arena.server.guards import ServerLimits, unsent  # noqa: E402
from arena.server.server import ArenaServer, run  # noqa: E402
from arena.server.text_frame import TextFrame  # noqa: E402
from arena.transports.websocket import Receive, Send  # noqa: E402
from arena.web.match.frames import rendered  # noqa: E402
from arena.web.match.host_matches import matches  # noqa: E402
from arena.web.sockets import consumers  # noqa: E402
from arena.web.sockets.consumers import RoomConsumer, Scope  # noqa: E402
from tests.kit.storage import held  # noqa: E402

VARIANT = "connect-four-7x6"
# Watchers get a frame this often, and so does the bare crowd.
PAUSE_S = 0.06
# A crowd that waits for its turn to be measured is silent meanwhile, and nobody answers a ping.
consumers.HEARTBEAT_S = consumers.HEAD_S = 3600.0
LIMITS = ServerLimits(ping_seconds=3600)


class Crowd:
    """All sockets with the same path: watchers of a match, or bare `sends`."""

    crowds: dict[str, Crowd] = {}

    def __init__(self) -> None:
        self.watchers: list[Watcher] = []
        self.slow: list[Watcher] = []
        self.sends: list[Send] = []
        self.frames = 0
        self.text = ""
        self._told = asyncio.Event()

    def told(self, text: str) -> None:
        self.frames += 1
        self.text = text
        self._told.set()

    async def all_see(self, live: LiveMatch) -> None:
        """Wait until everyone has received the current state of the match."""
        while any(watcher.seen != (live.state.seq, live.version) for watcher in self.watchers):
            self._told.clear()
            await self._told.wait()


class Watcher(RoomConsumer):
    """A watcher that goes on to the next match when told to."""

    def __init__(self, crowd: Crowd, members: list[Watcher]) -> None:
        super().__init__("")
        self._crowd, self._members = crowd, members

    @property
    def seen(self) -> tuple[int, int]:
        return self._seen

    async def find(self, scope: Scope) -> None:
        self._matches = matches()
        self._members.append(self)

    def show(self, live: LiveMatch) -> None:
        if self._live is not None:
            self._matches.hub.unview(self._live, self)
        self._live, self._have, self._seen = live, 0, (-1, -1)
        self._matches.hub.view(live, self)
        self.wake()

    async def write(self) -> None:
        if self._live is not None:
            await super().write()

    def _newest_frame(self) -> TextFrame:
        frame = super()._newest_frame()
        self._crowd.told(frame)
        return frame


async def websockets(scope: Scope, receive: Receive, send: Send) -> None:
    _, kind, _ = scope["path"].split("/")
    crowd = Crowd.crowds.setdefault(scope["path"].replace("/slow/", "/match/"), Crowd())
    if kind != "bare":
        await Watcher(crowd, crowd.slow if kind == "slow" else crowd.watchers).run(scope, receive, send)
        return
    await receive()
    await send({"type": "websocket.accept"})
    crowd.sends.append(send)
    while (await receive())["type"] != "websocket.disconnect":
        pass


texts: list[str] = []


async def measured(path: str, moves: int) -> dict[str, float]:
    """Processor seconds and frames for one crowd and this many moves."""
    crowd = Crowd.crowds[path]
    return await (_watched if crowd.watchers else _bare)(crowd, moves)


async def _watched(crowd: Crowd, moves: int) -> dict[str, float]:
    host = hosting.here()
    live = await host.referee.open(Setup(VARIANT, (SeatSetup("Ada", player=None), SeatSetup("Ben", player=None))))
    await host.referee.start(live)
    for watcher in (*crowd.watchers, *crowd.slow):
        watcher.show(live)
    await crowd.all_see(live)
    texts.clear()
    begin, before = time.process_time(), crowd.frames
    renders, encodings = rendered.total(), TextFrame.encodings
    for ply, move in enumerate(_long_match()[:moves], start=1):
        await host.referee.play(live, 1 - ply % 2, ply, move)
        await crowd.all_see(live)
        texts.append(crowd.text)
    cpu, frames = time.process_time() - begin, crowd.frames - before
    found = {
        "renders": rendered.total() - renders,
        "encodings": TextFrame.encodings - encodings,
        "unsent": max(unsent(each.transport) for each in server[0].connections if each.transport is not None),
    }
    await host.referee.abort(live, "admin_abort", "it was long enough")
    await crowd.all_see(live)
    return {"cpu": cpu, "frames": frames, "bytes": sum(map(len, texts)) / len(texts), **found}


async def _bare(crowd: Crowd, moves: int) -> dict[str, float]:
    begin, frames = time.process_time(), 0
    for text in texts[:moves]:
        for send in crowd.sends:
            await send({"type": "websocket.send", "text": text})
        frames += len(crowd.sends)
        await asyncio.sleep(PAUSE_S)
    return {"cpu": time.process_time() - begin, "frames": frames, "bytes": sum(map(len, texts)) / len(texts)}


def _long_match() -> list[str]:
    """The moves of a match that fills the board."""
    rng = random.Random(1)
    while True:
        position, moves = games.variant(VARIANT).start(), list[str]()
        while position.to_move is not None:
            moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if len(moves) == 42:
            return moves


server: list[ArenaServer] = []


def main() -> int:
    running: set[asyncio.Task[None]] = set()

    async def answer(line: str) -> None:
        path, moves = line.split()
        print(json.dumps(await measured(path, int(moves))), flush=True)

    def obey() -> None:
        line = sys.stdin.readline()
        if not line:
            return server[0].stop()
        task = asyncio.get_running_loop().create_task(answer(line))
        running.add(task)
        task.add_done_callback(running.discard)

    async def start() -> None:
        await hosting.start(await sync_to_async(held)(), lambda error: server[0].stop(1))
        asyncio.get_running_loop().add_reader(sys.stdin, obey)
        print("Ready", server[0].port, flush=True)

    async def stop() -> None:
        await hosting.here().stop()

    return run(websockets, "127.0.0.1", 0, on_start=start, on_stop=stop, on_listening=server.append, limits=LIMITS)


if __name__ == "__main__":
    sys.exit(main())
