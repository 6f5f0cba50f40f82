"""Two workers, one behind 50 ms of delay to the database and the host: their bots' thinking times agree within 1 ms.

Both play matches of one event at the same time, so that whatever else the machine does slows both.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from tests.kit.ports import free_port
from tests.kit.processes import Postgres
from tests.kit.workers import cluster
from tests.work.workers.killing import BEGUN
from tools.soak._proxy import Proxy

DELAY_S, EVENT_S, BOTS, LEAST = 0.05, 1200.0, 6, 50
VARIANT, WITHIN_MS = "connect-four-7x6", 1.0
# Thinks for 30 ms, then plays the leftmost free column.
BOT = """import sys, time
for line in sys.stdin:
    time.sleep(0.03)
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""
TIMES = """
SELECT opened.data->'played_on'->>'worker', move.elapsed_ms FROM arena_event move
JOIN arena_event opened ON opened.match_id = move.match_id AND opened.kind = 'opened'
WHERE move.kind = 'move' AND move.actor = '' AND move.ply > 2
"""


def main(arguments: list[str]) -> int:
    folder = Path(tempfile.mkdtemp(prefix="arena-soak-"))
    folder.chmod(0o755)  # bots may run as users of their own
    postgres = Postgres()
    postgres.start()
    try:
        return asyncio.run(_play(folder, postgres))
    finally:
        postgres.stop()
        postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)


async def _play(folder: Path, postgres: Postgres) -> int:
    cast = folder / "cast.json"
    (folder / "files").mkdir()
    (folder / "files" / "bot.py").write_text(BOT)
    bots = [(f"left-{n}", "fiar", ["python3", "bot.py"], str(folder / "files")) for n in range(BOTS)]
    cast.write_text(json.dumps({VARIANT: bots}))
    async with cluster(folder, postgres, "delayed", fetches=True) as arena, asyncio.timeout(EVENT_S):
        near = await arena.worker()
        far = Proxy("127.0.0.1", postgres.port, free_port(), DELAY_S)
        await far.start()
        arena.worker_url = arena.worker_url.replace(f":{urlsplit(arena.worker_url).port}/", f":{far.listens}/")
        await arena.worker()
        await arena.manage("shell", "-c", BEGUN.replace("FILE", repr(str(cast))).replace("legs=1", "legs=2"))
        while not await arena.ask("SELECT 1 FROM arena_tournament HAVING bool_and(state = 'finished')"):
            await asyncio.sleep(1)
        times = await arena.ask(TIMES)
        await far.stop()
    here, there = ([ms for worker, ms in times if (str(near.pid) in worker.split()) == is_near] for is_near in (1, 0))
    print(f"near: {len(here)} moves, median {median(here):g} ms; behind {1000 * DELAY_S:g} ms: {len(there)} moves, "
          f"median {median(there):g} ms")  # fmt: skip
    return int(min(len(here), len(there)) < LEAST or abs(median(here) - median(there)) > WITHIN_MS)
