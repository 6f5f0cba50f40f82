"""Events of bots that this server runs, on both engines, while workers, the host and PostgreSQL are killed in turn.

`make soak ARGS='workers [KILLS [BOTS [ENGINE]]]'`. At the end every pairing has one match that counts, no worker was
distrusted, the tables follow from the logs, and every log is valid.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from tests.kit.processes import Postgres
from tests.work.workers import killing

KILLS, BOTS = 5, 30
# A run whose process was killed begins again within this time: a lease lasts 20 s and is checked every 5 s.
LOST_S = 40.0


def main(arguments: list[str]) -> int:
    kills, bots = [int(word) for word in (*arguments[:2], *map(str, (KILLS, BOTS)[len(arguments[:2]) :]))]
    return max(_play(engine, kills, bots) for engine in arguments[2:] or killing.ENGINES)


def _play(engine: str, kills: int, bots: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="arena-soak-"))
    folder.chmod(0o755)  # bots may run as users of their own
    postgres = Postgres()
    postgres.start()
    try:
        print(f"the engine {engine}, load {os.getloadavg()[0]:.1f}", flush=True)
        told = asyncio.run(killing.play(folder, postgres, engine, kills, bots))
        print(f"{told.replayed.strip().splitlines()[-1]}; tables that differ: {told.tables_differ}; "
              f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
        if told.kills < kills:
            print(f"the events were over after {told.kills} kills: take more bots")
        return int(not told.is_right or told.longest_lost_s > LOST_S or told.kills < kills)
    finally:
        postgres.stop()
        postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)
