"""The cost of the engines of work: the local engine against bare processes, and workers against the local engine.

They take turns, and the processor time of all processes involved and their children is measured: wall time says nothing
on a shared machine, so games a second and the load are only printed beside it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from arena.bots.process.guests import FUNCTION
from arena.paths import ROOT
from arena.play.driver import Log
from arena.play.spec import CommandSeat, Spec
from arena.work.engine import LocalEngine
from tests.kit.processes import Postgres
from tests.kit.samples import Sample, command
from tests.kit.workers import Cluster, children, cluster
from tools.bench.figures import Figure, repeated

VARIANT = "connect-four-7x6"
SLOTS = 2
GOAL_INSTANT, GOAL_WORKERS = 0.75, 0.8
EVENT_S, LOOK_S = 600.0, 0.1
TICKS = os.sysconf("SC_CLK_TCK")
# Plays one of its matches for each line that it reads, with only the driver.
BARE = """import json, sys
from arena.play.driver import play
from arena.play.spec import Spec
for line in sys.stdin:
    (log,) = play(Spec.from_data(json.loads(line)))
    assert log.state.termination == "normal", log.state.reason
    print("played", flush=True)
"""
BOTS = """
import pathlib
from django.db import connection
from arena.bots.process import programs
from arena.models import Bot, Player
for n in range(COUNT):
    player = Player.objects.create(kind="bot", name=f"left {n}", slug=f"left-{n}")
    bot = Bot(player=player, variant=VARIANT, protocol="fiar", family=f"left {n}", command=["python3", "thinks.py"])
    bot.save()
    programs.add(bot, pathlib.Path(FOLDER), "ops")
with connection.cursor() as cursor:
    cursor.execute(NO_ANALYSES)
"""
# Both sides submit an analysis after each match, and neither of them makes it.
NO_ANALYSES = """
CREATE FUNCTION dropped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER dropped BEFORE INSERT ON arena_work FOR EACH ROW WHEN (new.kind = 'analyse') EXECUTE FUNCTION dropped();
"""
EVENT = """
from arena.models import Player
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
entries = tuple(EntrySpec(each.name, "bot", player=each.pk) for each in Player.objects.filter(slug__startswith="left-"))
actions.start(actions.create(TournamentSpec(
    NAME, VARIANT, "round-robin", entries, legs=LEGS, clock="30s", concurrency=2, seed=5)))
"""
OVER = "SELECT 1 FROM arena_tournament HAVING bool_and(state = 'finished')"
# Those that were void, because a process stood still, cost as much as the others.
COUNTED = """
SELECT (SELECT count(*) FROM arena_match WHERE termination = 'normal')
    + (SELECT coalesce(sum(voids), 0) FROM arena_work WHERE kind = 'play')
"""


class Spent(NamedTuple):
    """Seconds a match."""

    processor: float
    clock: float


def instant(repeats: int, matches: int) -> Figure:
    """Matches of programs that answer at once, started afresh for each match: in bare processes, and in slots."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        argv = command(Sample("fiar", "c" if shutil.which("gcc") else "py"), Path(folder))
        seat = CommandSeat("fiar", tuple(argv))
        spec = Spec(VARIANT, (seat, seat), 1, "5s", cwd=folder, freeze=True)
        pairs = [(_bare(spec, matches), asyncio.run(_local(spec, matches))) for _ in range(repeats)]
    bare, local = (median(1 / each.clock for each in those) for those in zip(*pairs, strict=True))
    return repeated(
        f"{SLOTS} slots, instant bots, bare processes / local",
        [one.processor / other.processor for one, other in pairs],
        GOAL_INSTANT,
        f"{bare:.0f} and {local:.0f} games/s by the clock, load {os.getloadavg()[0]:.1f}",
    )


def workers(repeats: int, bot: str, legs: int, bots: int = 4) -> Iterator[Figure]:
    """The same event of bots that run this program, on both engines, including PostgreSQL and the host."""
    folder = Path(tempfile.mkdtemp(prefix="arena-bench-"))
    folder.chmod(0o755)  # bots may run as users of their own
    postgres = Postgres()
    try:
        postgres.start()
        (folder / "files").mkdir()
        (folder / "files" / "thinks.py").write_text(bot)
        yield asyncio.run(_engines(folder, postgres, repeats, bots, legs))
    finally:
        postgres.stop()
        postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)


# -- bare and local ----------------------------------------------------------------------------------------------------


def _bare(spec: Spec, matches: int) -> Spent:
    line = json.dumps(spec.to_data()) + "\n"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", BARE], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(SLOTS)
    ]

    def played(count: int) -> None:
        for process in started:
            assert process.stdin is not None, "a pipe"
            process.stdin.write(line * count)
            process.stdin.flush()
        for process in started:
            assert process.stdout is not None, "a pipe"
            assert [process.stdout.readline() for _ in range(count)] == ["played\n"] * count, "every match is played"

    try:
        played(1)
        return _measured(lambda: played(matches // SLOTS), [each.pid for each in started], matches)
    finally:
        for process in started:
            process.communicate()


async def _local(spec: Spec, matches: int) -> Spent:
    engine, job = LocalEngine(SLOTS, 0), {"spec": spec.to_data()}

    async def played(slot: int, count: int) -> None:
        for _ in range(count):
            (log,) = (await engine.run(slot, FUNCTION, job))["logs"]
            state = Log.from_data(log).state
            assert state.termination == "normal", state.reason

    try:
        await asyncio.gather(*(played(slot, 1) for slot in range(SLOTS)))
        slots, mine, began = children(os.getpid()), time.process_time(), time.monotonic()
        before = _seconds(slots)
        await asyncio.gather(*(played(slot, matches // SLOTS) for slot in range(SLOTS)))
        spent = _seconds(slots) - before + time.process_time() - mine
        return Spent(spent / matches, (time.monotonic() - began) / matches)
    finally:
        await engine.close()


def _measured(do: Callable[[], None], pids: list[int], matches: int) -> Spent:
    before, began = _seconds(pids), time.monotonic()
    do()
    return Spent((_seconds(pids) - before) / matches, (time.monotonic() - began) / matches)


# -- local and workers -------------------------------------------------------------------------------------------------


async def _engines(folder: Path, postgres: Postgres, repeats: int, bots: int, legs: int) -> Figure:
    local = {"ARENA_ENGINE": "", "ARENA_PLAY_SLOTS": str(SLOTS), "ARENA_WORK_SLOTS": "1"}
    made = BOTS.replace("COUNT", str(bots)).replace("FOLDER", repr(str(folder / "files")))
    made = made.replace("NO_ANALYSES", repr(NO_ANALYSES))
    found: list[tuple[Spent, Spent]] = []
    async with AsyncExitStack() as stack:
        arenas: list[Cluster] = []
        for name, settings in (("local", local), ("lent", {})):
            (folder / name).mkdir()
            arenas.append(
                await stack.enter_async_context(
                    cluster(folder / name, postgres, name, fetches=not settings, **settings)
                )
            )
            await arenas[-1].manage("shell", "-c", made.replace("VARIANT", repr(VARIANT)))
        for _ in range(SLOTS):
            await arenas[1].worker("--kinds", "play")
        for number in range(repeats + 1):  # the first event fetches programs and is not counted
            one, other = [await _event(arena, postgres, f"Cup {number}", legs if number else 1) for arena in arenas]
            found += [(one, other)] if number else []
    here, lent = (median(1 / each.clock for each in those) for those in zip(*found, strict=True))
    return repeated(
        f"{SLOTS} workers, 5 ms bots, local / Procrastinate",
        [one.processor / other.processor for one, other in found],
        GOAL_WORKERS,
        f"{here:.1f} and {lent:.1f} games/s by the clock, load {os.getloadavg()[0]:.1f}",
    )


async def _event(arena: Cluster, postgres: Postgres, name: str, legs: int) -> Spent:
    """Seconds from the beginning of the event until its table is final."""
    begin = EVENT.replace("NAME", repr(name)).replace("VARIANT", repr(VARIANT)).replace("LEGS", str(legs))
    pids = [arena.server.pid, *(worker.pid for worker in arena.workers), postgres.pid]
    await arena.manage("shell", "-c", begin)
    ((already,),) = await arena.ask(COUNTED)
    before, began = _seconds(pids), time.monotonic()
    async with asyncio.timeout(EVENT_S):
        while not await arena.ask(OVER):
            await asyncio.sleep(LOOK_S)
        spent, clock = _seconds(pids) - before, time.monotonic() - began
    ((count,),) = await arena.ask(COUNTED)
    return Spent(spent / (count - already), clock / (count - already))


def _seconds(pids: Iterable[int]) -> float:
    """The processor time of these processes and of all their children, including those that have ended."""
    spent, left = 0.0, list(pids)
    while left:
        pid = left.pop()
        try:
            fields: list[Any] = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            for task in Path(f"/proc/{pid}/task").iterdir():
                left += map(int, (task / "children").read_text().split())
        except OSError:  # it has ended, and its time was added to its parent's
            continue
        spent += sum(map(int, fields[11:15])) / TICKS
    return spent
