"""Events of bots that this server runs, over both engines, while workers, the host and PostgreSQL are killed in turn.

The bots are samples of every protocol, in Python and in C; each worker has a network of its own where the system lets
it. At the end every pairing has one match that counts, nobody was distrusted, and the tables are those that the exports
give when their logs are played through.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psycopg

from tests.kit.namespaces import may_be_made
from tests.kit.processes import Postgres
from tests.kit.samples import ALONE, SAMPLES, Sample, command
from tests.kit.workers import Cluster, children, cluster

ENGINES = ("local", "procrastinate")
EVENT_S, LOOK_S = 1800.0, 0.2
# A pause without a result that is told.
LONG_S = 10.0
BEGUN = """
import json, pathlib
from arena.bots.process import programs
from arena.models import Bot, Player
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
for variant, bots in json.loads(pathlib.Path(FILE).read_text()).items():
    entries = []
    for name, protocol, command, folder in bots:
        player = Player.objects.create(kind="bot", name=name, slug=name)
        bot = Bot(player=player, variant=variant, protocol=protocol, family=name, command=command)
        bot.save()
        programs.add(bot, pathlib.Path(folder), "ops")
        entries.append(EntrySpec(name, "bot", player=player.pk))
    spec = TournamentSpec(
        f"Kills {variant}", variant, "round-robin", tuple(entries), legs=1, clock="30s", concurrency=4, seed=5
    )
    actions.start(actions.create(spec))
"""
UNCOUNTED = "('server_abort', 'admin_abort', 'no_start')"
COUNTED = f"""
SELECT pairing_id FROM arena_match WHERE pairing_id IS NOT NULL AND termination IS NOT NULL
AND termination NOT IN {UNCOUNTED}
"""
OUT = "SELECT id, token FROM arena_work WHERE kind = 'play' AND state = 'out' AND worker LIKE %s"
OURS = "SELECT id, token FROM arena_work WHERE id = ANY(%s) AND state <> 'done'"
RUNS = "SELECT sum(faults), sum(voids), sum(late) FROM arena_work WHERE kind = 'play'"


class Told(NamedTuple):
    """What came of it. `longest_lost_s`: until a run whose process was killed was begun again; `pauses`: how long there
    was no result, and after what.
    """

    pairings: int
    kills: int
    counted: list[int]
    distrusted: int
    longest_lost_s: float
    pauses: list[tuple[float, str]]
    tables_differ: list[str]
    replayed: str

    @property
    def is_right(self) -> bool:
        once = len(set(self.counted)) == len(self.counted) == self.pairings
        return once and not self.distrusted and not self.tables_differ and "no differences" in self.replayed


async def play(folder: Path, postgres: Postgres, engine: str, kills: int, bots: int) -> Told:
    """The whole of it, in this folder."""
    cast = folder / "cast.json"
    cast.write_text(json.dumps(_cast(folder, bots)))
    fetches = engine == "procrastinate"
    told = {} if fetches else {"ARENA_ENGINE": "", "ARENA_PLAY_SLOTS": "2"}
    async with cluster(folder, postgres, f"kills_{engine}", fetches=fetches, **told) as arena, asyncio.timeout(EVENT_S):
        # Each kill takes some seconds, in which others play: with more kills, the event lasts longer.
        begun = BEGUN.replace("legs=1", f"legs={max(1, kills // 3)}")
        await arena.manage("shell", "-c", begun.replace("FILE", repr(str(cast))))
        for _ in range(2 if fetches else 0):
            await arena.worker("--slots", "2", apart=may_be_made())
        return await Killing(arena, postgres, engine).play(kills)


class Killing:
    """An event that is played, and what is killed of it in turn, each after some more results."""

    def __init__(self, arena: Cluster, postgres: Postgres, engine: str) -> None:
        self._arena, self._postgres = arena, postgres
        self._workers = engine == "procrastinate"
        self._lost: dict[int, tuple[int, float]] = {}
        self._killed = 0
        self._longest_lost_s = 0.0
        self._pauses: list[tuple[float, str]] = []

    async def play(self, kills: int) -> Told:
        ((total,),) = await self._arena.ask("SELECT count(*) FROM arena_pairing")
        print(f"{total} pairings", flush=True)
        dice, done, last, changed = random.Random(5), 0, "nothing", time.monotonic()
        step = max(1, total // (kills + 2))
        due, killing = dice.randint(1, step), asyncio.create_task(asyncio.sleep(0))
        while done < total or not killing.done():
            with suppress(psycopg.OperationalError):  # it has just been killed
                now = len(await self._arena.ask(COUNTED))
                if now != done:
                    self._note_pause(time.monotonic() - changed, last)
                    changed, done = time.monotonic(), now
                await self._look_for_lost()
            if killing.done():
                await killing
            if self._killed < kills and done >= due and killing.done():
                last = ("worker", "host", "PostgreSQL")[self._killed % 3]
                killing = asyncio.create_task(self._kill(last))
                self._killed, due = self._killed + 1, done + dice.randint(1, step)
            await asyncio.sleep(LOOK_S)
        await killing
        await self._arena.until("SELECT 1 FROM arena_tournament HAVING bool_and(state = 'finished')")
        return await self._judged(total)

    def _note_pause(self, seconds: float, after: str) -> None:
        if seconds >= LONG_S:
            print(f"no result for {seconds:.0f} s after the kill of {after}", flush=True)
            self._pauses.append((seconds, after))

    async def _look_for_lost(self) -> None:
        if self._lost:
            still = dict(await self._arena.ask(OURS, list(self._lost)))
            for work, (token, since) in tuple(self._lost.items()):
                if still.get(work) != token:
                    del self._lost[work]
                    self._longest_lost_s = max(self._longest_lost_s, time.monotonic() - since)

    async def _kill(self, what: str) -> None:
        began, arena = time.monotonic(), self._arena
        if what == "PostgreSQL":
            await asyncio.to_thread(self._postgres.kill)
            await asyncio.to_thread(self._postgres.start)
        elif what == "host":
            await self._lose(arena.server.pid)
            await arena.server.kill()
            await arena.server.start_again()
        elif self._workers:
            worker = arena.workers.pop(0)
            await self._lose(worker.pid)
            worker.signal(signal.SIGKILL)
            await worker.ends()
            await arena.worker("--slots", "2", apart=may_be_made())
        else:
            self._kill_slot()
        print(f"kill -9 of {what}; there again after {time.monotonic() - began:.0f} s", flush=True)

    async def _lose(self, pid: int) -> None:
        """What this process has out, or is the host of: its name has the number."""
        for work, token in await self._arena.ask(OUT, f"% {pid} %"):
            self._lost[work] = token, time.monotonic()

    def _kill_slot(self) -> None:
        for child in children(self._arena.server.pid):
            with suppress(OSError):
                if b"arena.work.slot" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(child, signal.SIGKILL)
                    return

    async def _judged(self, total: int) -> Told:
        arena = self._arena
        counted = [pairing for (pairing,) in await arena.ask(COUNTED)]
        ((distrusted,),) = await arena.ask("SELECT count(*) FROM arena_machine WHERE distrusted <> ''")
        ((faults, voids, late),) = await arena.ask(RUNS)
        print(f"{len(counted)} matches count, of {len(set(counted))} pairings of {total}; runs lost {faults}, void "
              f"{voids}, late {late}; not trusted {distrusted}; longest lost {self._longest_lost_s:.0f} s; "
              f"kills {self._killed}")  # fmt: skip
        events = await arena.ask("SELECT slug FROM arena_tournament")
        differ = [slug for (slug,) in events if await self._differs(slug)]
        return Told(
            total,
            self._killed,
            counted,
            distrusted,
            self._longest_lost_s,
            self._pauses,
            differ,
            await arena.manage("replay"),
        )

    async def _differs(self, slug: str) -> bool:
        """Whether the table is another one than that of the logs, played through without the database."""
        export = self._arena.folder / f"{slug}.json"
        export.write_text(await self._arena.manage("tournament", "export", slug))
        return await self._arena.manage("tournament", "table", slug) != await self._arena.manage(
            "tournament", "table", str(export)
        )


def _cast(folder: Path, bots: int) -> dict[str, list[tuple[str, str, list[str], str]]]:
    """By variant: name, protocol, command and folder of each bot. One alone in its game has nobody to meet."""
    samples = [sample for sample in SAMPLES if sample.language in ("py", "c")]
    (folder / "built").mkdir()
    found: dict[str, list[tuple[str, str, list[str], str]]] = defaultdict(list)
    for number in range(bots):
        sample = samples[number % len(samples)]
        name = f"{sample.protocol}-{sample.language}-{number}"
        files = folder / "files" / name
        files.mkdir(parents=True)
        found[sample.variant].append((name, sample.protocol, _packed(sample, folder / "built", files), str(files)))
    return {variant: those for variant, those in found.items() if len(those) > 1}


def _packed(sample: Sample, built: Path, files: Path) -> list[str]:
    """Put its files there; its command as it is then."""
    words = ALONE.get(sample.protocol, ())
    if sample.language == "c":
        shutil.copy(command(sample, built)[0], files / "bot")
        return ["./bot", *words]
    shutil.copy(sample.path, files / "bot.py")
    return ["python3", "bot.py", *words]
