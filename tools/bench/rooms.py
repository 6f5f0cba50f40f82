"""Many rooms: the cost of a move with a thousand of them against fifty, and the memory of an idle room.

A room is two bots on separate sockets; nobody watches. Its memory is the growth of the server for each room that waits
for a move, less what two connections cost a bare asyncio server, the relay. The rooms come fifty at a time. A second
figure says what the growth is if all come in the same moment: that is also what the server needs to let two thousand
bots in at once, which it does not give back, and differs by several KiB from run to run.

A page's socket is one that watches a match and has received a frame of it; it is compared with a socket of the same
server that is only accepted.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from statistics import median

from tests.kit.server import migrate
from tools.bench import path
from tools.bench.figures import Figure, repeated
from tools.bench.path import Process
from tools.bench.watchers import Load

FEW = 50
GOAL_CPU, GOAL_KIB, GOAL_SOCKET_KIB, GOAL_BEYOND_KIB = 1.25, 12.0, 20.0, 5.0
# What any server has open beside the two sockets of each room.
FILES = 500

Opens = Callable[[], AbstractContextManager[tuple[Process, str]]]


def run(windows: int = 7, seconds: float = 1.0, rooms: int = 1000, repeats: int = 5) -> Iterator[Figure]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 2 * rooms + FILES), most))
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        load = path.load_command(Path(folder))
        yield _cost(load, rooms, windows, seconds)
        yield _memory(load, rooms, FEW, repeats, GOAL_KIB)
        yield _memory(load, rooms, rooms, repeats, None)
    yield from _sockets(rooms)


def _cost(load: list[str], rooms: int, windows: int, seconds: float) -> Figure:
    arena = path.Arena("full", False, None)
    with path.contender(load, FEW, arena) as few, path.contender(load, rooms, arena) as many:
        for _ in range(windows):
            few.measure(seconds)
            many.measure(seconds)
        ratio = median(one.cpu / other.cpu for one, other in zip(many.samples, few.samples, strict=True))
        detail = (
            f"{few.typical.cpu:.1f} µs with {FEW}, {many.typical.cpu:.1f} with {rooms}; "
            f"{few.typical.rate:,.0f} and {many.typical.rate:,.0f} moves/s"
        )
    return Figure(f"a move with {rooms:,} rooms / with {FEW}", ratio, GOAL_CPU, detail, at_most=True)


def _memory(load: list[str], rooms: int, at_once: int, repeats: int, goal: float | None) -> Figure:
    """Of repeats in turns."""
    found = [[_kib_a_room(load, rooms, at_once, opens) for opens in (_relay, _host)] for _ in range(repeats)]
    relay, arena = (median(each) for each in zip(*found, strict=True))
    detail = f"{arena:.1f} KiB a room, of which two sockets of a bare server are {relay:.1f}"
    name = f"KiB of an idle room of {rooms:,}" if goal else f"  if all {rooms:,} come at once"
    return repeated(name, [other - one for one, other in found], goal, detail, at_most=True)


def _kib_a_room(load: list[str], rooms: int, at_once: int, opens: Opens) -> float:
    """The growth of the server for each room after the first few, because the very first ones also load what all
    share.
    """
    with opens() as (server, port), ExitStack() as bots:
        _join(bots, load, port, FEW)
        before = _kib(server.pid)
        for left in range(rooms, 0, -at_once):
            _join(bots, load, port, min(left, at_once))
        return (_kib(server.pid) - before) / rooms


def _join(bots: ExitStack, load: list[str], port: str, rooms: int) -> None:
    """This many rooms, in each of which the first move has been requested and none played."""
    pairs = bots.enter_context(path._running([*load, port, str(rooms)], path.LOAD_CORE))
    assert pairs.hear() == "Ready"


def _sockets(many: int) -> Iterator[Figure]:
    page, bare = (asyncio.run(_kib_a_socket(kind, many)) for kind in ("match", "bare"))
    detail = f"a socket that is only accepted: {bare:.1f}"
    yield Figure(f"KiB of a page's socket, of {many:,}", page, GOAL_SOCKET_KIB, detail, at_most=True)
    yield Figure("  beyond one that is only accepted", page - bare, GOAL_BEYOND_KIB, "", at_most=True)


async def _kib_a_socket(kind: str, many: int) -> float:
    """The growth of the server for each socket after the first few; pages have received the newest frame of a match."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as data:
        migrate(Path(data))
        load = Load(many, FEW, data)
        load.crowds = {f"/match/{FEW}": FEW, f"/bare/{FEW}": FEW}
        await load.start()
        try:
            await load.measure(f"/match/{FEW}", 1)
            before = _kib(load.server)
            await load.open(f"/{kind}/{many}", many)
            if kind == "match":
                await load.measure(f"/match/{many}", 1)
            return (_kib(load.server) - before) / many
        finally:
            await load.stop()


def _kib(server: int) -> int:
    status = Path(f"/proc/{server}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


@contextmanager
def _relay() -> Iterator[tuple[Process, str]]:
    with path._running([sys.executable, str(path.HERE / "relay.py")], path.SERVER_CORE) as server:
        yield server, server.hear().split()[1]


@contextmanager
def _host() -> Iterator[tuple[Process, str]]:
    command = [sys.executable, "-m", "tools.bench.host"]
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as data:
        migrate(Path(data))
        settings = {"ARENA_DATA": data, "ARENA_SYNC": "normal", "SECRET_KEY": "bench"}
        with path._running(command, path.SERVER_CORE, **settings) as server:
            yield server, server.hear().split()[1]
