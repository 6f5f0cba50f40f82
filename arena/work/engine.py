"""Engines, which lend processors. They promise nothing: a run may be lost, and the rows know.

The local engine has one process for each slot, so that killing one costs only one run. Its processes run only when
nothing else wants the processor, and can be frozen at any moment. For the same reason nobody waits long for one to end:
on a busy machine even dying takes such a process many seconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from arena.transports.own_process import command

# At the end, processes that are still dying after this many seconds are left to the system.
END_S = 2.0
# The values of a match of 10 000 moves are some megabytes.
LONGEST_ANSWER = 64 * 2**20


OnSlice = Callable[[Any], None]


class RunLost(RuntimeError):
    """The process died or could not be started. The message says which."""


class RunFailed(RuntimeError):
    """The function raised; the message says what."""


class MachineLacks(RunFailed):
    """The function raised because this machine lacks something, such as disk space, that another may have."""


class Engine(Protocol):
    """Lends processors. `function` is `module:name`; it takes and returns JSON values, so it can run elsewhere."""

    slots: int

    async def run(self, slot: int, function: str, job: Any, on_slice: OnSlice | None = None) -> Any:
        """Run the function and return its answer. Raises RunLost, RunFailed. If cancelled, it ends the process.

        If slices are wanted, the function gets a second argument, with which it sends them.
        """

    def end(self, slot: int) -> None:
        """Nobody wants what this slot holds any more: its next run begins afresh."""

    def stand_still(self) -> None:
        """Compute nothing until `go_on`."""

    def go_on(self) -> None: ...

    def rest(self) -> None:
        """There is nothing to do for a while: hold no more than is needed."""

    async def close(self) -> None: ...


class LocalEngine:
    """This many processes (`arena.work.slot`) on this machine, which end with this one. `nice` as the system counts it;
    `env()` is added to the environment of each that starts. `pinned`: if there is a processor for each, a slot and what
    it starts stay on one, so that two programs that play each other share it.
    """

    def __init__(
        self, slots: int, nice: int, env: Callable[[], Mapping[str, str]] = dict, pinned: bool = False
    ) -> None:
        self.slots = slots
        processors = sorted(os.sched_getaffinity(0))
        self._processors = processors if pinned and len(processors) == slots else []
        self._env = env
        self._command = [*command("arena.work.slot"), str(os.getpid()), str(nice)]
        self._processes: dict[int, Process] = {}
        self._begun = set[Process]()
        self._ending = set[asyncio.Task[int]]()
        self._stands = False

    async def run(self, slot: int, function: str, job: Any, on_slice: OnSlice | None = None) -> Any:
        try:
            process = self._processes.get(slot) or await self._start(slot)
            said = await _ask(process, json.dumps([function, job, *([True] if on_slice else [])]), on_slice)
        except (OSError, EOFError, ValueError) as why:
            self.end(slot)
            raise RunLost(str(why)) from None
        except asyncio.CancelledError:
            self.end(slot)
            raise
        if "failed" in said:
            raise (MachineLacks if said.get("lacks") else RunFailed)(said["failed"])
        return said["answer"]

    def stand_still(self) -> None:
        self._stands = True
        for process in self._begun:
            _signal(process, signal.SIGSTOP)

    def go_on(self) -> None:
        if self._stands:
            self._stands = False
            for process in self._begun:
                _signal(process, signal.SIGCONT)

    def rest(self) -> None:
        for slot in tuple(self._processes):
            self.end(slot)

    async def close(self) -> None:
        self.rest()
        if ending := set(self._ending):
            await asyncio.wait(ending, timeout=END_S)
            for task in ending:
                task.cancel()

    async def _start(self, slot: int) -> Process:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *map(str, self._processors[slot : slot + 1]),
            stdin=PIPE,
            stdout=PIPE,
            limit=LONGEST_ANSWER,
            env={**os.environ, **self._env()},
        )
        self._processes[slot] = process
        assert process.stdout is not None, "it is a pipe"
        if await process.stdout.readline():  # stopped before that, it would outlive a host that is killed
            self._begun.add(process)
            if self._stands:
                _signal(process, signal.SIGSTOP)
        return process

    def end(self, slot: int) -> None:
        if process := self._processes.pop(slot, None):
            self._begun.discard(process)
            _signal(process, signal.SIGKILL)
            ending = asyncio.get_running_loop().create_task(process.wait())
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)


async def _ask(process: Process, job: str, on_slice: OnSlice | None) -> dict[str, Any]:
    """Ask the process. Raises EOFError if it died, OSError, and ValueError for an answer that is too long."""
    assert process.stdin is not None and process.stdout is not None, "both are pipes"
    process.stdin.write(job.encode() + b"\n")
    await process.stdin.drain()
    while True:
        line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError("its process died")
        said: dict[str, Any] = json.loads(line)
        if on_slice is None or "slice" not in said:
            return said
        on_slice(said["slice"])


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(number)
