"""An arena on PostgreSQL with workers beside it: real processes, which a test stops, kills and starts again."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.kit.deadline import DEADLINE_S
from tests.kit.namespaces import NetworkNamespace
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, SHARED, Server, environment, migrate, share_files
from tests.kit.until import asked_until

PASSWORD = "only-for-tests"
ENGINE = {"ARENA_ENGINE": "procrastinate"}
TEMPLATE = "with_jobs"
# A bot that travels, made as staff make it.
BOT = """
import pathlib
from arena.bots.process import programs
from arena.models import Bot, Player
player = Player.objects.create(kind="bot", name="left", slug="left")
said = {"variant": "connect-four-7x6", "protocol": "fiar", "family": "left", "command": ["python3", "left.py"]}
programs.add(Bot.objects.create(player=player, **said), pathlib.Path(FILES), "ops")
"""
# Refuses answers as if the database were away, once so many have come: workers try again, and their runs stay out.
HOLD = """
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM arena_returned) + (SELECT count(*) FROM arena_work WHERE state = 'done') >= {after} THEN
        RAISE 'held by a test' USING ERRCODE = 'lock_not_available';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER hold BEFORE INSERT ON arena_returned FOR EACH ROW EXECUTE FUNCTION hold()
"""
LET_GO = "DROP FUNCTION hold CASCADE"


def children(pid: int) -> list[int]:
    """The processes that the first thread of this process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class WorkerProcess:
    """`manage.py worker`, by a command with this `prefix`; `said` is what it has printed."""

    def __init__(self, data: Path, url: str, root: Path = ROOT, prefix: Sequence[str] = ()) -> None:
        self.data, self._url, self._root, self._prefix = data, url, root, prefix
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._heard = asyncio.Event()
        self.said = ""

    async def start(self, *arguments: str) -> None:
        """Start, and wait for `Ready`."""
        self.data.mkdir(exist_ok=True)
        settings = {**environment(self.data), "DATABASE_URL": self._url, "PYTHONPATH": str(self._root)}
        self._process = await asyncio.create_subprocess_exec(
            *self._program(), "worker", "--slots", "1", *arguments,
            cwd=self._root, env=settings, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        self._reading = asyncio.create_task(self._read())
        await self.until_said("Ready\n")

    def _program(self) -> list[str]:
        """After a prefix it is not begun with all of Arena, and so not told what is known of this machine."""
        told = ("-m", "tests.kit.machine", os.environ[SHARED]) if self._prefix and self._root == ROOT else ()
        return [*self._prefix, sys.executable, *told, "manage.py"]

    @property
    def pid(self) -> int:
        assert self._process is not None, "it has been started"
        return self._process.pid

    @property
    def slots(self) -> list[int]:
        """The processes in which it computes."""
        return children(self.pid)

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def until_said(self, *words: str) -> None:
        """Until it has said one of these."""
        async with asyncio.timeout(DEADLINE_S):
            while not any(each in self.said for each in words):
                assert self._reading is not None and not self._reading.done(), self.said
                self._heard.clear()
                await self._heard.wait()

    async def ends(self) -> int:
        assert self._process is not None and self._reading is not None, "it has been started"
        async with asyncio.timeout(DEADLINE_S):
            await self._process.wait()
            await self._reading
        assert self._process.returncode is not None, "it has ended"
        return self._process.returncode

    async def kill(self) -> None:
        """With its slots, which end with it, and the bots of those."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self.signal(signal.SIGKILL)
            await self.ends()

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None, "it has been started"
        async for line in self._process.stdout:
            self.said += line.decode()
            self._heard.set()
        self._heard.set()


class Cluster:
    """A server whose work is done by workers, the database of both, and the workers that a test has made. These may
    ask it for programs where it `fetches`. `settings` are those of the host.
    """

    def __init__(self, folder: Path, url: str, fetches: bool = False, **settings: str) -> None:
        self.folder, self.url = folder, url
        self._settings = {"DATABASE_URL": url, **ENGINE, **settings}
        self.worker_url = url.replace("//arena@", f"//arena_worker:{PASSWORD}@")
        self.server = Server(folder / "host", **self._settings)
        if fetches:
            self.server.tell(ARENA_WORKER_URL=self.server.address)
        self._database: psycopg.Connection | None = None
        self._networks: list[NetworkNamespace] = []
        self.workers: list[WorkerProcess] = []

    async def worker(self, *arguments: str, root: Path = ROOT, apart: bool = False, room_kb: int = 0) -> WorkerProcess:
        """One more, which has begun to take work; `apart`: in a network of its own; `room_kb`: with a disk so small."""
        data = self.folder / f"worker{len(self.workers)}"
        prefix = (await self._network()).prefix if apart else small_disk(data, room_kb) if room_kb else ()
        made = WorkerProcess(data, self.worker_url, root, prefix)
        self.workers.append(made)
        await made.start(*arguments)
        return made

    async def _network(self) -> NetworkNamespace:
        """From which only the database and the pages of the host are reached."""
        made = NetworkNamespace()
        self._networks.append(made)
        await made.start((urlsplit(self.url).port or 0, self.server.port))
        return made

    async def manage(self, *arguments: str, **settings: str) -> str:
        """The output of a command on the host, which must succeed."""
        mine = {**environment(self.folder / "host"), **self._settings, **settings}
        command = [sys.executable, "manage.py", *arguments]
        pipe, both = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=mine, stdout=pipe, stderr=both)
        try:
            async with asyncio.timeout(DEADLINE_S):
                said, _ = await process.communicate()
        finally:  # whoever stops waiting removes the folder that it writes to
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 0, said.decode()
        return said.decode()

    async def add_bot(self, files: Path, then: str = "") -> None:
        """Make the bot `left` with these files, and run this script in the same process."""
        await self.manage("shell", "-c", BOT.replace("FILES", repr(str(files))) + then)

    async def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of the database, read as its owner."""
        return await asyncio.to_thread(self._asked, sql, values)

    async def until(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows, once there are some."""
        return await asked_until(lambda: self.ask(sql, *values), bool)

    @asynccontextmanager
    async def held(self, after: int = 0) -> AsyncIterator[None]:
        """Meanwhile a worker comes to no end of its run, however long the test stands still; but for so many answers,
        which are taken.
        """
        await self.ask(HOLD.format(after=after))
        yield
        await self.ask(LET_GO)

    async def submit(self, *matches: str) -> None:
        """Have these matches analysed, as finished matches are."""
        await self.ask(
            "INSERT INTO arena_work (kind, key, spec, priority, state, token, worker, faults, voids, late, why, made,"
            " needs, rules, sandbox, secret) SELECT 'analyse', 'analyse:' || id, jsonb_build_object('match', id), 0,"
            " 'waiting', 0, '', 0, 0, 0, '', now(), '', '', 0, '' FROM unnest(%s::text[]) AS id RETURNING id",
            list(matches),
        )

    async def close(self) -> None:
        for worker in self.workers:
            await worker.kill()
        for network in self._networks:
            await network.stop()
        await self.server.stop()
        if self._database is not None:
            self._database.close()

    def _asked(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Over one connection, because repeated questions would start a process of PostgreSQL each time."""
        if self._database is not None:
            try:
                return _rows(self._database, sql, values)
            except psycopg.OperationalError:  # the database was started again
                self._database.close()
        self._database = psycopg.connect(self.url, autocommit=True)
        return _rows(self._database, sql, values)


def small_disk(data: Path, room_kb: int) -> list[str]:
    """The prefix of a command for which this folder is empty and on its own disk."""
    mount = f'mount -t tmpfs -o size={room_kb}k none "{data}" && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", mount, "sh"]


@asynccontextmanager
async def cluster(
    folder: Path, postgres: Postgres, name: str, *, fetches: bool = False, **settings: str
) -> AsyncIterator[Cluster]:
    """A served one, without workers yet; of `postgres`, whose template all clusters share."""
    url = await asyncio.to_thread(postgres.create, name, template(postgres, folder))
    made = Cluster(folder, url, fetches, **settings)
    (folder / "host").mkdir()
    share_files(folder / "host")
    await made.server.start()
    try:
        yield made
    finally:
        await made.close()


def template(postgres: Postgres, folder: Path) -> str:
    """A database with all tables, and the role of the workers in its server; made once."""
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as server:
        found = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone()
    if found is None:
        url = postgres.create(TEMPLATE)
        (folder / "template").mkdir()
        migrate(folder / "template", DATABASE_URL=url, **ENGINE)
        make_role(folder / "template", url)
    return TEMPLATE


def make_role(data: Path, url: str) -> None:
    """The role of the workers in this database's server, with the rights and the password that it should have."""
    import subprocess

    mine = {**environment(data), "DATABASE_URL": url, **ENGINE, "ARENA_WORKER_PASSWORD": PASSWORD}
    command = [sys.executable, "manage.py", "work", "role"]
    subprocess.run(command, cwd=ROOT, env=mine, check=True, stdout=subprocess.PIPE, timeout=DEADLINE_S)


def _rows(database: psycopg.Connection, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    found = database.execute(sql, values)
    return found.fetchall() if found.description else []
