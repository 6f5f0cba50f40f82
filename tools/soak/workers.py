"""Events of bots that travel, over two workers, while a worker, the host and PostgreSQL are killed in turn.

`make soak ARGS='workers [KILLS [BOTS]]'`. The bots are samples of every protocol, in Python and in C. At the end every
pairing has one match that counts, nobody was distrusted, and every log holds.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tests.kit.processes import Postgres
from tests.kit.samples import ALONE, SAMPLES, Sample, command
from tests.kit.workers import Cluster, cluster

KILLS, BOTS = 5, 30
EVENT_S, LOOK_S = 1800.0, 0.2
# An event that stands still for longer is stuck: a lease lasts 20 s, and a busy machine takes a minute to start a host.
LONGEST_S = 240.0
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
        programs.add(bot, pathlib.Path(folder), "soak")
        entries.append(EntrySpec(name, "bot", player=player.pk))
    spec = TournamentSpec(
        f"Kills {variant}", variant, "round-robin", tuple(entries), legs=1, clock="30s", concurrency=4, seed=5
    )
    actions.start(actions.create(spec))
"""
COUNTED = """
SELECT count(*) FROM arena_match WHERE pairing_id IS NOT NULL AND termination IS NOT NULL
AND termination NOT IN ('server_abort', 'admin_abort', 'no_start')
"""


def main(arguments: list[str]) -> int:
    kills, bots = [int(word) for word in (*arguments, *map(str, (KILLS, BOTS)[len(arguments) :]))]
    folder = Path(tempfile.mkdtemp(prefix="arena-soak-"))
    folder.chmod(0o755)  # bots may run as users of their own
    postgres = Postgres()
    postgres.start()
    try:
        return asyncio.run(_play(folder, postgres, kills, bots))
    finally:
        postgres.stop()
        postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)


async def _play(folder: Path, postgres: Postgres, kills: int, bots: int) -> int:
    cast = folder / "cast.json"
    cast.write_text(json.dumps(_cast(folder, bots)))
    async with cluster(folder, postgres, "kills", fetches=True) as arena, asyncio.timeout(EVENT_S):
        await arena.manage("shell", "-c", BEGUN.replace("FILE", repr(str(cast))))
        for _ in range(2):
            await arena.worker("--slots", "2")
        ((total,),) = await arena.ask("SELECT count(*) FROM arena_pairing")
        print(f"{total} pairings of {bots} bots", flush=True)
        longest = await _kill_again_and_again(arena, postgres, kills, total)
        return await _judged(arena, total, longest)


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


async def _kill_again_and_again(arena: Cluster, postgres: Postgres, kills: int, total: int) -> float:
    """In turn, each after some more matches; then until all are played. The longest time in which none ended."""
    dice, done, killed, longest, changed = random.Random(5), 0, 0, 0.0, time.monotonic()
    due = dice.randint(1, max(1, total // (kills + 2)))
    while done < total:
        ((now,),) = await arena.ask(COUNTED)
        if now != done:
            longest, changed, done = max(longest, time.monotonic() - changed), time.monotonic(), now
        if killed < kills and done >= due:
            await _kill(arena, postgres, ("worker", "host", "PostgreSQL")[killed % 3])
            killed += 1
            due = done + dice.randint(1, max(1, total // (kills + 2)))
        await asyncio.sleep(LOOK_S)
    await arena.until("SELECT 1 FROM arena_tournament HAVING bool_and(state = 'finished')")
    return longest


async def _kill(arena: Cluster, postgres: Postgres, what: str) -> None:
    print(f"kill -9 of {what}", flush=True)
    if what == "worker":
        worker = arena.workers.pop(0)
        worker.signal(signal.SIGKILL)
        await worker.ends()
        await arena.worker("--slots", "2")
    elif what == "host":
        await arena.server.kill()
        await arena.server.start()
    else:
        await asyncio.to_thread(postgres.kill)
        await asyncio.to_thread(postgres.start)


async def _judged(arena: Cluster, total: int, longest: float) -> int:
    ((counted,),) = await arena.ask(COUNTED)
    ((pairings,),) = await arena.ask(
        f"SELECT count(DISTINCT pairing_id) FROM arena_match WHERE id IN ({COUNTED.replace('count(*)', 'id')})"
    )
    ((lost, late, distrusted),) = await arena.ask(
        "SELECT sum(lost), sum(late), count(*) FILTER (WHERE distrusted <> '') FROM arena_machine"
    )
    ((here,),) = await arena.ask(
        "SELECT count(*) FROM arena_event WHERE kind = 'opened' AND data->'played_on'->>'worker' IS NULL"
        " AND match_id IN (SELECT id FROM arena_match WHERE pairing_id IS NOT NULL)"
    )
    verified = await arena.manage("replay")
    print(f"{counted} matches count, of {pairings} pairings of {total}; {here} of all were played by the host")
    print(f"runs lost {lost}, late answers {late}, workers not trusted {distrusted}, none ended for {longest:.0f} s")
    print(verified.strip().splitlines()[-1])
    return int(not counted == pairings == total or bool(distrusted) or longest > LONGEST_S)
