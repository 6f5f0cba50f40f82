"""Twenty thousand matches between players that answer at once: none lost or counted twice, and nothing grows with them.

`make soak ARGS='many [ENGINE [EVENTS [ENTRIES [bots]]]]'`. Each event is a double round robin of built-in players, or
of bots in C that this server starts for each match; the next one begins when it is over. Now and then a line says how
far they are, the memory of the host and of workers (PSS), the disk, and how long the page of the running event takes.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

from tests.kit.processes import Postgres
from tests.kit.samples import Sample, command
from tests.kit.workers import Cluster, children, cluster
from tests.work.workers.killing import COUNTED

VARIANT = "connect-four-7x6"
EVENTS, ENTRIES, WORKERS = 5, 64, 2
LOOK_S, TOLD_S, EVENT_S = 1.0, 30.0, 7200.0
MADE = """
import pathlib
from arena.bots.process import programs
from arena.models import Bot, Player
for n in range(BOTS):
    player = Player.objects.create(kind="bot", name=f"many {n}", slug=f"many-{n}")
    bot = Bot(player=player, variant=VARIANT, protocol="fiar", family=f"many {n}", command=["./bot"])
    bot.save()
    programs.add(bot, pathlib.Path(FOLDER), "ops")
"""
EVENT = """
from arena.models import Player
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
bots = tuple(EntrySpec(each.name, "bot", player=each.pk) for each in Player.objects.filter(slug__startswith="many-"))
entries = bots or tuple(EntrySpec(f"many {n}", "builtin", "random") for n in range(ENTRIES))
made = actions.create(TournamentSpec(NAME, VARIANT, "round-robin", entries, clock="30s", concurrency=8, seed=5))
actions.start(made)
print("made", made.slug)
"""
FINISHED = "SELECT 1 FROM arena_tournament WHERE slug = %s AND state = 'finished'"
ROWS = "SELECT kind, state, count(*) FROM arena_work GROUP BY 1, 2 ORDER BY 1, 2"
LEFT = """
SELECT (SELECT count(*) FROM arena_returned), (SELECT count(*) FROM arena_logslice),
    (SELECT count(*) FROM procrastinate_jobs), (SELECT count(*) FROM procrastinate_events)
"""
RUNS = "SELECT sum(faults), sum(voids), sum(late) FROM arena_work WHERE kind = 'play'"


def main(arguments: list[str]) -> int:
    given = [*arguments, *["local", str(EVENTS), str(ENTRIES)][len(arguments) :]]
    engine, events, entries, bots = given[0], int(given[1]), int(given[2]), "bots" in given[3:]
    folder = Path(tempfile.mkdtemp(prefix="arena-soak-"))
    folder.chmod(0o755)  # bots may run as users of their own
    postgres = Postgres()
    postgres.start()
    try:
        return asyncio.run(_play(folder, postgres, engine, events, entries, bots))
    finally:
        postgres.stop()
        postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)


async def _play(folder: Path, postgres: Postgres, engine: str, events: int, entries: int, bots: bool) -> int:
    (folder / "files").mkdir()
    shutil.copy(command(Sample("fiar", "c"), folder)[0], folder / "files" / "bot")
    fetches = engine == "procrastinate"
    settings = {} if fetches else {"ARENA_ENGINE": "", "ARENA_PLAY_SLOTS": str(WORKERS)}
    async with cluster(folder, postgres, "many", fetches=fetches, **settings) as arena, asyncio.timeout(EVENT_S):
        made = MADE.replace("BOTS", str(entries if bots else 0)).replace("VARIANT", repr(VARIANT))
        await arena.manage("shell", "-c", made.replace("FOLDER", repr(str(folder / "files"))))
        for _ in range(WORKERS if fetches else 0):
            await arena.worker()
        told = Told(arena, folder, events * entries * (entries - 1))
        for number in range(events):
            begun = EVENT.replace("NAME", repr(f"Many {number}")).replace("VARIANT", repr(VARIANT))
            begun = begun.replace("ENTRIES", str(entries))
            await told.until_over((await arena.manage("shell", "-c", begun)).split()[-1])
        return await told.end()


class Told:
    """What is said of it while it is played."""

    def __init__(self, arena: Cluster, folder: Path, total: int) -> None:
        self._arena, self._folder, self._total = arena, folder, total
        self._began = self._said = time.monotonic()
        self._done, self._spent_s = 0, _processor_s(arena.server.pid)

    async def until_over(self, slug: str) -> None:
        while not await self._arena.ask(FINISHED, slug):
            await asyncio.sleep(LOOK_S)
            if time.monotonic() - self._said >= TOLD_S:
                await self._say(slug)
        await self._say(slug)

    async def _say(self, slug: str) -> None:
        done, now = len(await self._arena.ask(COUNTED)), time.monotonic()
        seconds = now - self._said
        rate, self._done, self._said = (done - self._done) / seconds, done, now
        ((size,),) = await self._arena.ask("SELECT pg_database_size(current_database())")
        page_s, page_kb = await asyncio.to_thread(_page, f"{self._arena.server.address}/t/{slug}/")
        workers = " ".join(f"{_mb(worker.pid):.0f}" for worker in self._arena.workers)
        host = self._arena.server.pid
        before, self._spent_s = self._spent_s, _processor_s(host)
        print(
            f"{now - self._began:5.0f} s {done:6} of {self._total} {rate:5.1f}/s; the host used "
            f"{100 * (self._spent_s - before) / seconds:.0f} % of a core; MB: host {_own_mb(host):.0f}, "
            f"with its processes {_mb(host):.0f}, workers {workers or '-'}; database {size / 2**20:.0f} MB, files "
            f"{_used(self._arena.server.data) / 2**20:.0f} MB; page {1000 * page_s:.0f} ms {page_kb:.0f} KB; "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )  # fmt: skip

    async def end(self) -> int:
        counted = Counter(pairing for (pairing,) in await self._arena.ask(COUNTED))
        twice = sum(count > 1 for count in counted.values())
        (runs,), (left,) = await self._arena.ask(RUNS), await self._arena.ask(LEFT)
        print(f"{len(counted)} of {self._total} pairings have a match that counts, {twice} more than one; runs lost, "
              f"void, late: {runs}; answers, slices, jobs, events of jobs left: {left}")  # fmt: skip
        print(json.dumps(await self._arena.ask(ROWS)))
        replayed = (await self._arena.manage("replay")).strip().splitlines()[-1]
        print(replayed)
        return int(len(counted) != self._total or twice > 0 or "no differences" not in replayed)


def _page(url: str) -> tuple[float, float]:
    """Seconds and KB."""
    began = time.monotonic()
    with urllib.request.urlopen(url) as answer:
        kb = len(answer.read()) / 1024
    return time.monotonic() - began, kb


def _own_mb(pid: int) -> float:
    """Without what it has started."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _processor_s(pid: int) -> float:
    """The processor time that it has used, without what it has started."""
    used = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


def _mb(pid: int) -> float:
    """With all that it has started."""
    try:
        return _own_mb(pid) + sum(_mb(child) for child in children(pid))
    except OSError:
        return 0.0


def _used(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
