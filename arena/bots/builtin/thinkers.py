"""Runs built-in players in separate processes, never on the event loop.

Workers are spawned when first needed. They know only rules and players (no Django), receive positions as text, and die
with this process, which plain pool workers would survive on `kill -9`. (`end_with` sees to that, which is why `think`
must be called in the thread of the event loop.)
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import NoReturn

from arena.common import descriptors
from arena.play import thinking
from arena.play.thinking import Thought
from arena.transports.own_process import end_with
from games.players.prover import Prover

log = logging.getLogger("arena.bots")

_NICER = 5  # a thought may wait; a page, a clock or a bot's move may not


class ThinkersBusy(RuntimeError):
    """Too many thoughts are waiting: ask again a little later."""


class ThinkersClosed(RuntimeError):
    """The thinkers have been closed, because the server is stopping."""


class WorkerDied(RuntimeError):
    """The process that thought about this position died, and so did the one that tried again."""


class Thinkers:
    """A pool of `workers` processes, at this `nice`; at most `most_waiting` thoughts wait or run. `prover` makes each
    worker's prover. On `close`, a worker that has not ended after `patience_s` is killed.
    """

    def __init__(
        self,
        workers: int = 1,
        most_waiting: int = 64,
        patience_s: float = 4.0,
        prover: Callable[[], Prover] | None = None,
        nice: int = _NICER,
    ) -> None:
        self._prover = prover
        self._nice = nice
        self._workers = workers
        self._most_waiting = most_waiting
        self._patience_s = patience_s
        self._waiting = 0
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False

    async def think(
        self, variant_slug: str, position_text: str, level: str, seed: int, budget_s: float, repeatable: bool = False
    ) -> str:
        """The move of a player of this level, after at most about `budget_s` seconds, including the wait for a worker.

        `repeatable`: the same seed gives the same move, because steps are limited instead of time.

        Raises ThinkersBusy, ThinkersClosed, WorkerDied; KeyError for an unknown variant; ValueError for an unknown
        level, an invalid position, or a match that is over.
        """
        if self._waiting >= self._most_waiting:
            raise ThinkersBusy(f"{self._waiting} thoughts wait already, {self._most_waiting} may: ask again later")
        self._waiting += 1
        thought = Thought(variant_slug, position_text, level, seed, time.monotonic(), budget_s, repeatable)
        try:
            return await self._think(thought)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End and join all workers: idle ones at once, others after their current thought. May be called twice."""
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is None:
            return
        processes = list(pool._processes.values())  # there is no public access to them
        ending = asyncio.ensure_future(asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True))
        try:
            await asyncio.wait([ending], timeout=self._patience_s)
        finally:  # also if this is cancelled: the thread would wait for their thoughts, and Python for the thread
            for process in processes if not ending.done() else ():
                process.kill()
        await ending

    async def _think(self, thought: Thought) -> str:
        for _ in range(2):
            try:
                pool = self._running_pool()
                thinking = pool.submit(choose, thought)
            except OSError as why:
                self._no_worker(why)
            except BrokenProcessPool:
                self._give_up(pool)  # it died before the request
                continue
            try:
                return await asyncio.wrap_future(thinking)
            except BrokenProcessPool:
                self._give_up(pool)
            except asyncio.CancelledError:
                if self._closed and not _is_cancelled_itself():
                    raise ThinkersClosed("the thinkers were closed while this thought waited") from None
                raise
        raise WorkerDied(f"the worker died twice over {thought}")

    def _no_worker(self, why: OSError) -> NoReturn:
        """No process could be started. Raises ThinkersBusy if only file descriptors are lacking, else the error."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        if not descriptors.exhausted(why):
            raise why
        descriptors.refused()
        raise ThinkersBusy("no file descriptor is left for a worker: ask again later")

    def _running_pool(self) -> ProcessPoolExecutor:
        if self._closed:
            raise ThinkersClosed("the thinkers have been closed")
        if self._pool is None:
            spawned = multiprocessing.get_context("spawn")
            told = (os.getpid(), self._prover, self._nice)
            self._pool = ProcessPoolExecutor(self._workers, spawned, initializer=_begin, initargs=told)
        return self._pool

    def _give_up(self, pool: ProcessPoolExecutor) -> None:
        """Drop a broken pool. Its thoughts fail together: the first to notice drops it, the next makes a new one."""
        if self._pool is pool:
            self._pool = None
            log.warning("a worker of the built-in players died: starting new ones")
        pool.shutdown(wait=False)


def _is_cancelled_itself() -> bool:
    """Whether this task was cancelled, and not only the thought that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


# -- in the worker -----------------------------------------------------------------------------------------------------


_prover: list[Prover] = []


def _begin(parent: int, prover: Callable[[], Prover] | None, nice: int) -> None:
    end_with(parent)
    os.nice(nice)
    if prover is not None:
        _prover.append(prover())


def choose(thought: Thought) -> str:
    """Choose a move in the time that is left, with this process's prover."""
    return thinking.choose(thought, next(iter(_prover), None))
