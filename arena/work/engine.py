"""What lends processors. It promises nothing: a run may be lost, and the rows know.

The local engine has one process a slot with an executor of its own, so that one that is killed hurts one run. Its
processes run only when nothing else wants to, and can be made to stand still at any moment.
"""

from __future__ import annotations

import asyncio
import ctypes
import importlib
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any, Protocol

_PR_SET_PDEATHSIG = 1
LEAST_URGENT = 19


class RunLost(RuntimeError):
    """The process died, or there was none to be had. The message says which."""


class Engine(Protocol):
    """Lends processors. `function` is `module:name`; it takes and gives JSON values, so it can be elsewhere."""

    slots: int

    async def run(self, slot: int, function: str, job: Any) -> Any:
        """What the function answers. Raises RunLost, and what the function raises. Cancelled, it ends the process."""

    def stand_still(self) -> None:
        """Compute nothing until `go_on`."""

    def go_on(self) -> None: ...

    def rest(self) -> None:
        """Nothing is to be done for a while: hold no more than is needed."""

    async def close(self) -> None: ...


class LocalEngine:
    """So many processes of this machine, which end with this one.

    `nice` as the system counts it: at 19 they run only when a processor would be idle.
    """

    def __init__(self, slots: int, nice: int = LEAST_URGENT) -> None:
        self.slots = slots
        self._nice = nice
        self._pools: dict[int, ProcessPoolExecutor] = {}
        self._stands = False

    async def run(self, slot: int, function: str, job: Any) -> Any:
        """See Engine."""
        try:
            future = self._pool(slot).submit(_call, function, job)
        except (OSError, BrokenProcessPool) as why:
            self._end(slot)
            raise RunLost(f"no process could be begun: {why}") from None
        if self._stands:
            self.stand_still()
        try:
            return await asyncio.wrap_future(future)
        except BrokenProcessPool:
            self._end(slot)
            raise RunLost("its process died") from None
        except asyncio.CancelledError:
            self._end(slot)
            raise

    def stand_still(self) -> None:
        """See Engine."""
        self._stands = True
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """See Engine."""
        if self._stands:
            self._stands = False
            self._signal(signal.SIGCONT)

    def rest(self) -> None:
        """See Engine."""
        for slot in tuple(self._pools):
            self._end(slot)

    async def close(self) -> None:
        """See Engine."""
        self.rest()

    def _pool(self, slot: int) -> ProcessPoolExecutor:
        if slot not in self._pools:
            spawned = multiprocessing.get_context("spawn")
            self._pools[slot] = ProcessPoolExecutor(1, spawned, initializer=_begin, initargs=(os.getpid(), self._nice))
        return self._pools[slot]

    def _end(self, slot: int) -> None:
        """What it computes is for nobody any more, so it is not waited for."""
        if pool := self._pools.pop(slot, None):
            processes = _processes(pool)
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()

    def _signal(self, number: signal.Signals) -> None:
        for pool in self._pools.values():
            for process in _processes(pool):
                with suppress(ProcessLookupError):
                    if process.pid is not None:
                        os.kill(process.pid, number)


def _processes(pool: ProcessPoolExecutor) -> list[Any]:
    return list((pool._processes or {}).values())  # the only way to a pool's processes


# -- in the slot -------------------------------------------------------------------------------------------------------


def _begin(parent: int, nice: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent decides
    _die_with_the_parent(parent)
    os.nice(nice)
    if nice >= LEAST_URGENT:
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _die_with_the_parent(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask for the signal
        os._exit(1)


def _call(function: str, job: Any) -> Any:
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)(job)
