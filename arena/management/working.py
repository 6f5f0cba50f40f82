"""One run of `manage.py worker`, from the first call to the last answer."""

from __future__ import annotations

import asyncio
import gc
import json
import logging.config
import os
import signal
import sys
from typing import Any

from django.conf import settings

from arena.bots.process import guests
from arena.work.engine import LocalEngine
from arena.work.kinds import PLAY, WORKER_KINDS
from arena.work.workers.about import TOLD, About
from arena.work.workers.jobs import Jobs
from arena.work.workers.loop import WorkerLoop

log = logging.getLogger("arena.worker")

# An event waits for these matches: this machine is lent for that.
NICE = 0


def main() -> None:
    """The command has passed its findings in the environment, where they are read and removed."""
    said, grace_s, database = json.loads(os.environ.pop(TOLD))
    logging.config.dictConfig(settings.LOGGING)
    gc.freeze()
    sys.exit(asyncio.run(work(About(**{**said, "kinds": tuple(said["kinds"])}), grace_s, database)))


async def work(about: About, grace_s: float, database: dict[str, Any]) -> int:
    """Run until asked to end; runs then have `grace_s`, and the rest is given back. Returns the exit code."""
    kept = {guests.FOLDER: str(settings.ARENA_DATA / guests.KEPT_IN), guests.LEVEL: str(about.sandbox)}
    engine = LocalEngine(about.slots, NICE, lambda: kept, pinned=True)
    jobs = Jobs(database)
    kinds = {**WORKER_KINDS, PLAY: WORKER_KINDS[PLAY]._replace(function=guests.FUNCTION)}
    worker = WorkerLoop(jobs, about, engine, kinds, grace_s)
    await jobs.open()
    asked, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    working = loop.create_task(worker.run())
    print(
        f"Worker     {about.name}: {about.slots} slots, class {about.machine_class}, {about.speed} kmoves/s", flush=True
    )
    print(f"Rules      {about.rules}, sandbox level {about.sandbox}, kinds {', '.join(about.kinds)}", flush=True)
    print("Ready", flush=True)
    waiting = loop.create_task(asked.wait())
    await asyncio.wait([working, waiting], return_when=asyncio.FIRST_COMPLETED)
    failed = working.done()
    if not failed:
        log.info("stopping: running work has %g s left", grace_s)
    working.cancel()
    waiting.cancel()
    for came in await asyncio.gather(working, waiting, return_exceptions=True):
        if isinstance(came, Exception):
            log.error("the worker failed", exc_info=came)
    await engine.close()
    await jobs.close()
    return int(failed)
