"""Random faults on two servers that share PostgreSQL and Redis while bots play: nothing announced is lost, one
referees.

`make soak ARGS="hosts --faults 200 --seed 7"`. The faults: kill, stop and continue, cut from PostgreSQL, cut from
Redis, a taken port at the moment of taking over, and several processes that start at once. Every bot keeps a journal of
what it was told. At the end the log is compared with it, read with none of our code except the rules.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from arena.protocols import protocols
from tests.kit.ports import free_port
from tests.kit.processes import Postgres, Redis
from tests.kit.server import ROOT, Server, environment, migrate
from tests.kit.until import until
from tools.soak._proxy import Proxy

PAIRS = 4
VARIANT = "connect-four-7x6"
THINK_S = 0.12
# Each server reaches both stores at its own addresses, where a proxy of ours can cut it off.
ADDRESSES = ("127.0.0.2", "127.0.0.3")
RECOVERED_S = 45.0


class Told(NamedTuple):
    match: str
    ply: int
    move: str


class Bot:
    """Plays match after match, returns to whichever server has the doors, and writes down what it is told."""

    def __init__(self, name: str, ports: list[int], rng: random.Random, room: str = "") -> None:
        self.name, self.ports, self.rng = name, ports, rng
        self.told: list[Told] = []
        self.ended = 0
        self._match, self._room = "", room

    async def play_for_ever(self) -> None:
        while True:
            with suppress(OSError, ValueError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.rng.choice(self.ports))
                try:
                    await self._talk(reader, writer)
                finally:
                    writer.close()
            await asyncio.sleep(0.1)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(**message: object) -> None:
            writer.write(json.dumps(message).encode() + b"\n")

        say(type="hello", name=self.name)
        say(type="join", room=self._room) if self._room else say(type="queue", variant=VARIANT)
        async with asyncio.timeout(120):
            while line := await reader.readline():
                heard = json.loads(line)
                if heard["type"] == "turn":
                    await asyncio.sleep(THINK_S)
                    say(type="move", ply=heard["ply"], move=self.rng.choice(heard["legal"]))
                elif heard["type"] == "refused" and heard["code"] in ("no_such_room", "channel_is_full", "no_room"):
                    self._room = ""
                    return
                else:
                    self._note(heard)

    def _note(self, heard: dict[str, Any]) -> None:
        if heard["type"] == "joined":
            self._room = heard["room"]
        elif heard["type"] == "seat":
            self._match = heard["match"]
        elif heard["type"] == "moved":
            self.told.append(Told(self._match, heard["ply"], heard["move"]))
        elif heard["type"] == "end":
            self.ended += 1
            self._room = "" if heard["last"] else self._room


class Arena:
    """Two servers, each with its own way to both stores."""

    def __init__(self, folder: Path, postgres: Postgres, redis: Redis, rng: random.Random) -> None:
        self.rng = rng
        self.url = postgres.create("hosts")
        self._folder, self._redis, self._postgres = folder, redis, postgres
        self.stores = [(Proxy(where, postgres.port), Proxy(where, redis.port)) for where in ADDRESSES]
        migrate(folder, DATABASE_URL=self.url)
        self.servers = [self._server(where) for where in ADDRESSES]
        self.done: Counter[str] = Counter()

    def _server(self, where: str) -> Server:
        # Both have the same host name, by which a server knows its own arena.
        shared = {"DATABASE_URL": f"{self.url}?hostaddr={where}", "REDIS_URL": f"redis://{where}:{self._redis.port}/0"}
        server = Server(self._folder, **shared)
        server.doors = {slug: free_port() for slug in protocols()}
        return server

    async def start(self) -> None:
        for proxies in self.stores:
            for proxy in proxies:
                await proxy.start()
        for server in self.servers:
            await server.start()

    async def stop(self) -> None:
        for server in self.servers:
            with suppress(Exception):
                await server.stop()
        for proxies in self.stores:
            for proxy in proxies:
                await proxy.stop()

    @property
    def ports(self) -> list[int]:
        return [server.doors["native"] for server in self.servers]

    def host(self) -> int:
        """The server that has the doors; any of them if neither has."""
        open_ = [n for n, server in enumerate(self.servers) if _is_open(server.doors["native"])]
        return open_[0] if open_ else self.rng.randrange(2)

    async def recovered(self) -> None:
        """Wait until both run and one of them has the doors."""
        for server in self.servers:
            if server._process is None or server._process.returncode is not None:
                await server.start()
        end = time.monotonic() + RECOVERED_S
        while not any(_is_open(port) for port in self.ports):
            if time.monotonic() > end:
                raise AssertionError(
                    f"no host within {RECOVERED_S:g} s: {[each.said[-2000:] for each in self.servers]}"
                )
            await asyncio.sleep(0.2)


# -- the faults --------------------------------------------------------------------------------------------------------


async def kill(arena: Arena) -> None:
    await arena.servers[arena.host()].kill()
    await asyncio.sleep(arena.rng.uniform(0, 3))


async def stop_and_continue(arena: Arena) -> None:
    """Stop the host for less than its lease, or for longer."""
    process = arena.servers[arena.host()]._process
    assert process is not None, "it was started"
    process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(arena.rng.choice((0.5, 2, 5, 9)))
    process.send_signal(signal.SIGCONT)


async def cut_from_postgres(arena: Arena) -> None:
    await _cut(arena, arena.stores[arena.host()][0], (0.5, 3, 9))


async def cut_from_redis(arena: Arena) -> None:
    await _cut(arena, arena.stores[arena.rng.randrange(2)][1], (0.5, 3, 8))


async def cut_both_from_postgres(arena: Arena) -> None:
    """As when PostgreSQL restarts: nobody takes over before the host can renew its lease."""
    for proxies in arena.stores:
        await proxies[0].cut(silently=False)
    await asyncio.sleep(arena.rng.choice((1, 7)))
    for proxies in arena.stores:
        proxies[0].heal()


async def _cut(arena: Arena, proxy: Proxy, seconds: tuple[float, ...]) -> None:
    await proxy.cut(silently=arena.rng.random() < 0.5)
    await asyncio.sleep(arena.rng.choice(seconds))
    proxy.heal()


async def taken_port(arena: Arena) -> None:
    """The server that takes over cannot bind a door, so the other one, which comes back, becomes the host."""
    host = arena.host()
    with suppress(OSError), socket.create_server(("127.0.0.1", arena.servers[1 - host].doors["fiar"])):
        await arena.servers[host].kill()
        await arena.servers[host].start()
        await asyncio.sleep(4)


async def double_start(arena: Arena) -> None:
    """Start both servers and a command that stores what it has played, all at once."""
    for server in arena.servers:
        await server.kill()
    await asyncio.gather(*(server.start() for server in arena.servers), save_a_match(arena))


async def save_a_match(arena: Arena) -> None:
    words = [sys.executable, "manage.py", "match", "expanding-nim", "builtin:beginner", "builtin:beginner", "--save"]
    mine = {**environment(arena._folder), "DATABASE_URL": arena.url}
    quiet = asyncio.subprocess.DEVNULL
    command = await asyncio.create_subprocess_exec(*words, cwd=ROOT, env=mine, stdout=quiet, stderr=quiet)
    await command.wait()
    arena.done["saved matches"] += command.returncode == 0


FAULTS: tuple[tuple[Callable[[Arena], Awaitable[None]], int], ...] = (
    (kill, 4),
    (stop_and_continue, 5),
    (cut_from_postgres, 4),
    (cut_from_redis, 3),
    (cut_both_from_postgres, 2),
    (taken_port, 1),
    (double_start, 1),
)


# -- the log -----------------------------------------------------------------------------------------------------------


EVENTS = "SELECT match_id, seq, kind, ply, move, epoch FROM arena_event ORDER BY id"


def look(rows: list[Any], told: list[Told]) -> dict[str, int]:
    """What went wrong, by name, according to the rows of `EVENTS`."""
    stored = {(match, ply, move) for match, _, kind, ply, move, _ in rows if kind == "move"}
    found = {"moves told and not stored": sum(tuple(each) not in stored for each in told)}
    newest, falls, stale_endings = 0, 0, 0
    for _, _, kind, _, _, epoch in rows:
        if epoch is None or epoch < newest:
            falls += 1
            stale_endings += kind == "ended"
        newest = max(newest, epoch or 0)
    found["matches ended by a process without the lease"] = stale_endings
    found["events whose lease number falls"] = falls
    seqs: dict[str, list[int]] = {}
    for match, seq, *_ in sorted(rows, key=lambda row: (row[0], row[1])):
        seqs.setdefault(match, []).append(seq)
    found["logs with a gap"] = sum(each != list(range(1, len(each) + 1)) for each in seqs.values())
    return found


def said_of(url: str) -> str:
    with psycopg.connect(url) as database:
        (moves,) = database.execute("SELECT count(*) FROM arena_event WHERE kind = 'move'").fetchone() or (0,)
        (hosts,) = database.execute("SELECT max(epoch) FROM arena_event").fetchone() or (0,)
        ends = database.execute("SELECT termination, count(*) FROM arena_match GROUP BY 1 ORDER BY 2 DESC").fetchall()
    endings = ", ".join(f"{termination or 'running'} {count}" for termination, count in ends)
    return f"{moves} moves stored by hosts number 1 to {hosts}; matches: {endings}"


async def judged(arena: Arena) -> bool:
    """Whether every stored log follows the rules: `manage.py replay --check`."""
    words = [sys.executable, "manage.py", "replay", "--check"]
    mine = {**environment(arena._folder), "DATABASE_URL": arena.url}
    return await (await asyncio.create_subprocess_exec(*words, cwd=ROOT, env=mine)).wait() == 0


# -- all of it ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def running(rng: random.Random) -> AsyncIterator[Arena]:
    postgres, redis = Postgres(), Redis()
    with tempfile.TemporaryDirectory(prefix="arena-hosts-") as folder:
        postgres.start()
        redis.start()
        try:
            arena = Arena(Path(folder), postgres, redis, rng)
            try:
                await arena.start()
                yield arena
            finally:
                await arena.stop()
        finally:
            redis.stop()
            postgres.stop()
            postgres.remove()


async def attack(arena: Arena, faults: int, seconds: float, only: str) -> None:
    actions, weights = zip(*((act, weight) for act, weight in FAULTS if only in ("", act.__name__)), strict=True)
    end = time.monotonic() + seconds
    for number in range(1, faults + 1):
        if time.monotonic() > end:
            return
        (act,) = arena.rng.choices(actions, weights)
        await act(arena)
        await arena.recovered()
        arena.done[act.__name__] += 1
        print(f"{number:4} {act.__name__}", flush=True)
        await asyncio.sleep(arena.rng.uniform(0.5, 1.5))


async def soak(faults: int, seconds: float, seed: int, only: str = "") -> int:
    rng = random.Random(seed)
    async with running(rng) as arena:
        bots = [Bot(f"bot-{number}", arena.ports, random.Random(seed + number)) for number in range(2 * PAIRS)]
        playing = [asyncio.create_task(bot.play_for_ever()) for bot in bots]
        try:
            await attack(arena, faults, seconds, only)
            await asyncio.sleep(3)
            await until(lambda: any(bot.told for bot in bots), "nobody was told a move")
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
        await arena.stop()
        told = [each for bot in bots for each in bot.told]
        with psycopg.connect(arena.url) as database:
            wrong = look(database.execute(EVENTS).fetchall(), told)
        print(", ".join(f"{name} {count}" for name, count in sorted(arena.done.items())))
        endings = sum(bot.ended for bot in bots)
        print(f"{len(told)} moves told to {len(bots)} bots, {endings} endings; {said_of(arena.url)}")
        for name, count in wrong.items():
            print(f"{name}: {count}")
        return int(any(wrong.values()) or not told or not await judged(arena))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="hosts", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3600.0, help="end after so long, however many there were")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    parser.add_argument("--only", default="", choices=[act.__name__ for act, _ in FAULTS], metavar="FAULT")
    chosen = parser.parse_args(arguments)
    print(f"seed {chosen.seed}", flush=True)
    return asyncio.run(soak(chosen.faults, chosen.seconds, chosen.seed, chosen.only))


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0
