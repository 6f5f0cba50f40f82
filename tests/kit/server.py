"""A server as people run it: its own process with its own data folder, on free ports."""

from __future__ import annotations

import asyncio
import atexit
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from arena.protocols import protocols
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import postgres_programs
from tests.web.api.conforming import UNLIKE

ROOT = Path(__file__).parents[2]
HELD = "tests.kit.held_settings"
TABLES, SHARED = "arena.sqlite3", "ARENA_TABLES_OF_TESTS"
MAKES_STATIC_FILES = """
import django
django.setup()
from arena.web.system.static_files import Made
list(Made().list(None))
"""


class Server:
    """`manage.py serve`. After `kill`, `start` takes the same ports again. `complaints` are those of its pages."""

    def __init__(self, data: Path, plugin: Path | None = None, /, **settings: str) -> None:
        self.data = data
        self._environment = {**environment(data, plugin), **settings}
        self._process: asyncio.subprocess.Process | None = None
        self._output: asyncio.Task[None] | None = None
        self._lines: list[str] = []
        self._ready = asyncio.Event()
        self._heard = asyncio.Event()
        self.port = free_port()
        self.complaints: list[str] = []
        # What serves and where: of this checkout, or of another one, or installed.
        self.root = ROOT
        self.program: tuple[str, ...] = (sys.executable, "manage.py")
        self.arguments: tuple[str, ...] = ()  # of `serve`, beside the ports
        self.doors = {slug: free_port() for slug in (*protocols(), *_added(plugin))}

    def tell(self, **settings: str) -> None:
        """Before it is started."""
        self._environment |= settings

    def setting(self, name: str) -> str:
        return self._environment[name]

    @property
    def pid(self) -> int:
        assert self._process is not None, "it has been started"
        return self._process.pid

    @property
    def said(self) -> str:
        """What the server has printed so far."""
        return "".join(self._lines)

    async def until_said(self, words: str) -> None:
        """Wait until the server has printed this."""
        async with asyncio.timeout(DEADLINE_S):
            while words not in self.said:
                self._heard.clear()
                await self._heard.wait()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start, and wait for `Ready`; of one that nobody waits for any more, nothing is left."""
        self._ready.clear()
        doors = [word for slug, port in self.doors.items() for word in ("--door", f"{slug}={port}")]
        command = [*self.program, "serve", "--port", str(self.port), *doors, *self.arguments]
        out, err = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
        # Of another checkout, or installed, it has a document of its own; and a bench measures what people run.
        in_tests = os.environ.get("DJANGO_SETTINGS_MODULE") == "tests.settings"
        held = in_tests and self.root == ROOT and self.setting("DJANGO_SETTINGS_MODULE") == "arena.settings"
        known = self._environment | ({"DJANGO_SETTINGS_MODULE": HELD} if held else {})
        self._process = await asyncio.create_subprocess_exec(*command, cwd=self.root, env=known, stdout=out, stderr=err)
        self._output = asyncio.create_task(self._read())
        try:
            async with asyncio.timeout(DEADLINE_S):
                await self._ready.wait()
        except (asyncio.CancelledError, TimeoutError):
            await self.stop()
            raise
        assert self.port and not self._output.done(), f"the server did not start: {self._lines}"

    async def start_again(self) -> None:
        """Start it as systemd does: again and again while the lease of the killed server lasts."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                with suppress(AssertionError):
                    await self.start()
                    return

    async def kill(self) -> None:
        """Kill it, like a power cut: no goodbye, nothing finished."""
        await self._end(9)

    async def stop(self) -> None:
        """Stop it, as `systemctl stop` does."""
        await self._end(15)

    async def ends(self) -> int:
        """Wait until it has stopped by itself; returns its exit code."""
        await self._end(0)
        assert self._process is not None and self._process.returncode is not None, "it has ended"
        return self._process.returncode

    async def _end(self, signal: int) -> None:
        assert self._process is not None and self._output is not None, "it has been started"
        if signal and self._process.returncode is None:
            self._process.send_signal(signal)
        async with asyncio.timeout(DEADLINE_S):
            await self._process.wait()
            await self._output
        assert UNLIKE not in self.said, self.said

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None, "it has been started"
        async for line in self._process.stdout:
            self._hear(line.decode())
        self._ready.set()

    def _hear(self, line: str) -> None:
        self._lines.append(line)
        self._heard.set()
        if page := re.match(r"Pages\s+http://127\.0\.0\.1:(\d+)/", line):
            self.port = int(page[1])
        if door := re.match(r"Bots\s+(\S+) on 127\.0\.0\.1:(\d+)", line):
            self.doors[door[1]] = int(door[2])
        if line.strip() == "Ready":
            self._ready.set()


def _added(plugin: Path | None) -> list[str]:
    """The slugs of a plug-in's protocols: at the ports of their own, two servers of tests would meet."""
    folders = (plugin / "arena" / "protocols").iterdir() if plugin else ()
    return [folder.name.replace("_", "-") for folder in folders if (folder / "adapter.py").exists()]


def environment(data: Path, plugin: Path | None = None) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}:{plugin}" if plugin else str(ROOT),
        "DJANGO_SETTINGS_MODULE": "arena.settings",
        "ARENA_DATA": str(data),
        "SECRET_KEY": "only-for-tests",
        # Each process of tests has its own: between a kill and the next start nobody else takes a bot's port.
        "ARENA_WORK_SLOTS": "0",
        "ARENA_EXHIBITIONS": "0",
        "ARENA_SEAT_PORTS": os.environ.get("ARENA_SEAT_PORTS", "4300-4399"),
        # A second process a server would cost every test; those about page workers ask for them.
        "ARENA_PAGES": os.environ.get("ARENA_PAGES", "0"),
        "ARENA_BOT_PORTS": os.environ.get("ARENA_BOT_PORTS", "4400-4499"),
    }


def migrate(data: Path, **settings: str) -> None:
    """Make the tables in a new data folder: with a database named in `settings` there, else in a file of its own.

    The migrations take seconds of computing and always end in the same tables: a run of tests runs them once for each
    kind of database. The static files and the catalogues that servers make are always the same as well.
    """
    data.mkdir(parents=True, exist_ok=True)
    if "DATABASE_URL" in settings:
        _fill(data, **settings)
    else:
        shutil.copy(tables(), data / TABLES)
    share_files(data)


def share_files(data: Path) -> None:
    """Let a data folder have what every server makes alike, but for what a bench has made in it already."""
    for shared in ("static", "locale"):
        with suppress(FileExistsError):  # another process of the tests has the same folder, and was first
            (data / shared).symlink_to(files() / shared)


def seed_files(data: Path, version: str = "") -> None:
    """Let a data folder have all built files but one, without the mark that all are there: who starts with it looks at
    each and builds what is missing. To build all of them takes 4 s of processor.

    `version`: the folder they are built for, theirs unless told otherwise.
    """
    (built,) = (files() / "static").iterdir()
    place = data / "static" / (version or built.name)
    shutil.copytree(built, place)
    for name in ("names", "js/vendor.js"):
        (place / name).unlink()


@cache
def files() -> Path:
    """A folder with the static files and the catalogues that every server makes."""
    return _made_once("files", _make_files)


@cache
def tables() -> Path:
    """A database with all tables, to be copied."""
    return _made_once("tables", _make_tables) / TABLES


def _made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of this run. Who comes first makes it, the others wait."""
    made = _shared() / name
    with alone(made.with_suffix(".lock")):
        if not made.exists():
            # Under another name until all of it is there, and gone with whoever fails: the next one begins afresh.
            with tempfile.TemporaryDirectory(dir=_shared()) as making:
                making_it = Path(making) / name
                making_it.mkdir()
                make(making_it)
                making_it.rename(made)
    return made


def _make_files(folder: Path) -> None:
    _run([sys.executable, "-c", MAKES_STATIC_FILES], **environment(folder))


def _make_tables(folder: Path) -> None:
    share_files(folder)
    _run_migrations(folder)
    assert {path.name for path in folder.iterdir()} == {"static", "locale", TABLES}, "all tables are in one file"


def _fill(data: Path, DATABASE_URL: str, **settings: str) -> None:
    """Give an empty database of PostgreSQL its tables: who comes first by the migrations, the others what it dumped."""
    dump = _shared() / f"{'-'.join(['tables', *settings.values()])}.sql"
    with alone(dump.with_suffix(".lock")):
        if not dump.exists():
            _run_migrations(data, DATABASE_URL=DATABASE_URL, **settings)
            making = dump.with_suffix(".making")
            _run([postgres_programs() / "pg_dump", "--no-owner", "--file", making, DATABASE_URL])
            making.rename(dump)
            return
    _run(
        [postgres_programs() / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", os.devnull, "-f", dump, DATABASE_URL]
    )


def _shared() -> Path:
    """The folder for what a run makes once."""
    if SHARED not in os.environ:
        own = tempfile.TemporaryDirectory(prefix="arena-tables-")
        atexit.register(own.cleanup)
        os.environ[SHARED] = own.name
    return Path(os.environ[SHARED])


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Make everybody else wait, in every process."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run_migrations(data: Path, **settings: str) -> None:
    _run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], **environment(data), **settings)


def _run(command: Sequence[str | Path], **settings: str) -> None:
    subprocess.run(command, cwd=ROOT, env=settings or None, check=True, timeout=DEADLINE_S)
