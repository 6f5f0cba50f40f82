"""From an older wheel to the wheel of this checkout during running matches: nothing announced is lost, nobody loses.

`make soak ARGS='upgrade [REVISION] [--keep FOLDER]'`. A wheel of an older revision, by default the last one with other
tables, is installed in an empty environment and serves. Eight bots play one match after another, and a person plays a
built-in player. The server is stopped, the wheel of this checkout is installed over the old one, and `arena migrate` is
killed at one step after another. Then the new server continues. All of this happens on SQLite and on PostgreSQL.

`--keep` leaves the data of the old server in that folder, for `tests/data/before`.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from tests.kit.processes import Postgres
from tests.kit.server import ROOT, TABLES, Server
from tests.kit.until import asked_until
from tests.kit.visiting import Visitor
from tools.soak.hosts import EVENTS, Bot, look

BOTS = 8
PLAYED_S = 20.0


class Installed(Server):
    """A server in an environment in which only a wheel of ours and its requirements are installed."""

    def __init__(self, data: Path, environment: Path, **settings: str) -> None:
        super().__init__(data, **settings)
        del self._environment["PYTHONPATH"]
        self.root, self.program = data, (str(environment / "bin" / "arena"),)

    def command(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*self.program, *words], cwd=self.root, env=self._environment, stdout=subprocess.PIPE)


class Played(NamedTuple):
    """A guest and their match against a built-in player."""

    person: Visitor
    match: str

    async def moves(self) -> list[str]:
        said = json.loads((await self.person.get(f"{self.match}log.json")).text)
        return [move["move"] for move in said["moves"]]

    async def move(self, column: str) -> None:
        """Make a move and wait for the answer."""
        ply = len(await self.moves()) + 1
        await self.person.post(f"{self.match}move/", ply=str(ply), move=column)
        await asked_until(self.moves, lambda moves: len(moves) > ply)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="upgrade", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("revision", nargs="?", default=_before_the_tables_changed())
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="arena-upgrade-") as name:
        folder = Path(name)
        before, after = _wheel(chosen.revision, folder / "before"), _wheel("", folder / "after")
        print(f"from {chosen.revision[:12]} to this checkout", flush=True)
        failed = 0
        for store in ("sqlite", "postgres"):
            environment = folder / store / "environment"
            _run(sys.executable, "-m", "venv", str(environment))
            _run(str(environment / "bin" / "pip"), "install", "--quiet", str(before))
            with _settings(store) as settings:
                (folder / store / "data").mkdir()
                server = Installed(folder / store / "data", environment, **settings)
                failed += asyncio.run(_upgraded(server, environment, after, store, chosen.keep))
        return min(failed, 1)


async def _upgraded(server: Installed, environment: Path, wheel: Path, store: str, keep: Path | None) -> int:
    if "DATABASE_URL" in server._environment:
        server.command("migrate", "--verbosity", "0").wait()
    server.arguments = ("--clock", "native=30s")
    await server.start()
    rng = random.Random(store)
    bots = [Bot(f"bot-{number}", [server.doors["native"]], random.Random(number)) for number in range(BOTS)]
    playing = [asyncio.create_task(bot.play_for_ever()) for bot in bots]
    person = Visitor(server.port)
    await person.get("/")
    begun = await person.post("/play/", variant="connect-four-7x6", level="beginner", move="4")
    played = Played(person, begun.headers["Location"].partition("?")[0].partition("#")[0])
    await asked_until(played.moves, lambda moves: len(moves) > 1)
    await asyncio.sleep(PLAYED_S)
    await server.stop()
    told_before, moved_before = sum(len(bot.told) for bot in bots), len(_events(server))
    if keep is not None:
        _keep(server, keep, store, played)
    _run(str(environment / "bin" / "pip"), "install", "--quiet", "--force-reinstall", "--no-deps", str(wheel))
    _run(str(environment / "bin" / "pip"), "install", "--quiet", str(wheel))  # what only the new wheel needs
    steps, kills = _migrated(server)
    await server.start()
    await played.move(rng.choice("1267"))
    await asyncio.sleep(PLAYED_S)
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    await server.stop()
    wrong = look(_events(server), [each for bot in bots for each in bot.told])
    wrong["logs that are wrong"] = server.command("replay", "--check").wait()
    ends = _ends(server)
    wrong["matches that somebody lost by the upgrade"] = sum(
        count for termination, count in ends if termination not in (None, "normal")
    )
    told = sum(len(bot.told) for bot in bots)
    wrong["no matches went on"] = int(told <= told_before)
    print(
        f"{store}: {steps} steps of tables, {kills} kills; {moved_before} events before, {len(_events(server))} after"
    )
    print(f"{store}: {told} moves told to {BOTS} bots, {told_before} of them before; matches: {dict(ends)}")
    for name, count in wrong.items():
        print(f"{store}: {name}: {count}", flush=True)
    return int(any(wrong.values()))


def _migrated(server: Installed) -> tuple[int, int]:
    """Run `arena migrate` again and again, killed in its first step, then in its second, and so on, until no step is
    left.
    """
    steps: set[str] = set()
    kills = 0
    while True:
        command = server.command("migrate")
        assert command.stdout is not None
        said = ""
        while some := os.read(command.stdout.fileno(), 4096).decode():
            said += some
            if said.count("Applying ") > kills:
                command.kill()
        steps |= set(re.findall(r"Applying (\S+?)\.\.\.", said))
        if command.wait() == 0:
            return len(steps), kills
        kills += 1


def _events(server: Installed) -> list[Any]:
    return _rows(server, EVENTS)


def _ends(server: Installed) -> list[Any]:
    return _rows(server, "SELECT termination, count(*) FROM arena_match GROUP BY 1")


def _rows(server: Installed, sql: str) -> list[Any]:
    if url := server._environment.get("DATABASE_URL"):
        with psycopg.connect(url) as there:
            return list(there.execute(sql).fetchall())
    with closing(sqlite3.connect(server.data / TABLES)) as database:
        return database.execute(sql).fetchall()


def _keep(server: Installed, folder: Path, store: str, played: Played) -> None:
    """Pack the data with which the test of the upgrade begins."""
    folder.mkdir(parents=True, exist_ok=True)
    if url := server._environment.get("DATABASE_URL"):
        dump = subprocess.run(["pg_dump", "--inserts", "--no-owner", url], check=True, capture_output=True).stdout
    else:
        with closing(sqlite3.connect(server.data / TABLES)) as database:
            dump = "\n".join(database.iterdump()).encode()
    (folder / f"{store}.sql.gz").write_bytes(gzip.compress(dump, 9, mtime=0))
    said = {"match": played.match, "cookies": played.person.cookies}
    (folder / f"{store}.json").write_text(json.dumps(said, indent=1) + "\n")


@contextmanager
def _settings(store: str) -> Iterator[dict[str, str]]:
    if store == "sqlite":
        yield {}
        return
    postgres = Postgres()
    postgres.start()
    try:
        yield {"DATABASE_URL": postgres.create("arena")}
    finally:
        postgres.stop()
        postgres.remove()


def _wheel(revision: str, folder: Path) -> Path:
    """Build the wheel of a revision, or of the files of this checkout."""
    folder.mkdir()
    source = ROOT
    if revision:
        source = folder / "source"
        source.mkdir()
        files = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x"], cwd=source, input=files, check=True)
    made = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    _run(sys.executable, "-m", "pip", *made)
    shutil.rmtree(folder / "source", ignore_errors=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _before_the_tables_changed() -> str:
    words = ["git", "rev-list", "-1", "HEAD", "--", "arena/migrations"]
    changed = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    return subprocess.run(
        ["git", "rev-parse", f"{changed}^"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def _run(*words: str) -> None:
    subprocess.run(words, check=True, env=dict(os.environ))
