"""The desk of the host: gives rows of work to the engine while nobody plays a rated match, and stores the answers. It
knows only what is in the rows: after `kill -9` the next host's desk gives them out again.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from django.db import DatabaseError, InterfaceError, OperationalError

from arena.cluster.lease import Fence, NotTheHost
from arena.common.logs import LastingTrouble
from arena.models import Work
from arena.work import rows
from arena.work.database_thread import DatabaseThread
from arena.work.engine import Engine, RunFailed, RunLost
from arena.work.kinds import BEAT_S
from arena.work.machine_class import own_class
from arena.work.rows import Answered, AnswerRefused, Beat, Came, Kind, RunVoid, WorkRun
from arena.work.showing import Screen, Showing
from arena.work.stranded import Stranded
from arena.work.tray import REFUSALS, Tray, stored

log = logging.getLogger("arena.work")

# How often the rows are checked without a call, and how often whether it is quiet while something is computed.
LOOK_S, QUIET_S = 5.0, 0.1
# How long to wait while storage fails.
AGAIN_S = 1.0
# An engine that is without work for this long releases what it holds.
IDLE_S = 30.0


class Lends(Protocol):
    """Lends rows to workers elsewhere: `arena.work.workers.lender`."""

    @property
    def stranded(self) -> Mapping[int | str, Stranded]: ...

    def call(self) -> None: ...

    async def close(self) -> None: ...


class Desk:
    """`is_quiet` says whether anything may be computed now; `done` hears of each run that is over, on the loop; its row
    need not be done by then.

    A slot is free for its next run as soon as it has computed one: the answer lies on the `Tray` meanwhile.

    For the rows each process of the engine is a separate worker: one that is not trusted is ended. With a `lender`,
    workers elsewhere get what need not be computed on this machine. A `screen` shows matches while they are played.
    """

    def __init__(
        self,
        engine: Engine,
        kinds: Mapping[str, Kind],
        fence: Fence | None,
        is_quiet: Callable[[], bool],
        done: Callable[[WorkRun], None],
        screen: Screen | None = None,
    ) -> None:
        self._engine, self._kinds, self._fence = engine, kinds, fence
        self._is_quiet, self._done = is_quiet, done
        self.lender: Lends | None = None
        self._name = f"{socket.gethostname()[:40]} {os.getpid()}"
        self._ended = 0
        self._called = asyncio.Event()
        self._runs = set[asyncio.Task[None]]()
        self._busy: dict[int, asyncio.Task[None]] = {}
        self._tray = Tray(kinds, self._store)
        what = ", ".join(kinds)  # a host has two desks
        self._failing = LastingTrouble(log, f"no work ({what}) is given out for now, trying again", DatabaseError)
        self._swept = -math.inf
        self._thread = DatabaseThread("arena-desk")
        self._showing = Showing(self._thread, kinds, fence, screen)
        self._task = asyncio.get_running_loop().create_task(self._serve())

    def call(self) -> None:
        """There may be something to do."""
        self._called.set()
        if self.lender is not None:
            self.lender.call()

    async def close(self) -> None:
        """Store what is computed, and end all other runs: their rows wait for the next desk."""
        if self.lender is not None:
            await self.lender.close()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)  # until then a run may begin, or not have taken a step
        await self._tray.close()
        runs = tuple(self._runs)
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
        await self._engine.close()
        await self._thread.close()

    async def _serve(self) -> None:
        await self._take_over()
        looked = worked = -math.inf
        due = True
        while True:
            now = time.monotonic()
            due = due or self._called.is_set() or now - looked >= LOOK_S
            self._called.clear()
            try:
                if not self._is_quiet():
                    self._engine.stand_still()
                else:
                    self._engine.go_on()
                    if due:
                        due, looked = False, now
                        await self._give_out()
                        self._failing.is_over()
            except NotTheHost:
                log.info("what is left open is for the next host to end")
            except Exception as why:
                self._failing.begins(why)
            worked = now if self._runs else worked
            if now - worked >= IDLE_S:
                self._engine.rest()
            with suppress(TimeoutError):
                async with asyncio.timeout(QUIET_S if self._runs else LOOK_S):
                    await self._called.wait()

    async def _take_over(self) -> None:
        try:
            await self._thread.call(rows.take_over, tuple(self._kinds), self._fence, self.lender is not None)
        except (DatabaseError, NotTheHost) as why:
            log.warning("what an earlier host had out is given out again later: %s", why)

    async def _give_out(self) -> None:
        if (now := time.monotonic()) - self._swept >= LOOK_S:
            self._swept = now
            await self._thread.call(rows.sweep)
        await self._showing.look(self._done if self.lender is None else None)
        for slot in range(self._engine.slots):
            if slot not in self._busy and not self._tray.is_full:
                run = await self._claimed(slot)
                self._tray.hurry(unless=run.kind if run else "")
                if run is None:
                    break
                self._busy[slot] = asyncio.get_running_loop().create_task(self._run(slot, run))
                self._runs.add(self._busy[slot])

    async def _claimed(self, slot: int) -> WorkRun | None:
        """The next run for this slot. One whose claim returns when the desk is closing is given back."""
        name = f"{self._name} {slot}.{self._ended}"
        needs = (Work.HOST,) if self.lender else ("", Work.HOST, own_class())
        call = self._thread.call(rows.claim, name, tuple(self._kinds), needs)
        claiming = asyncio.get_running_loop().create_task(call)
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            with suppress(DatabaseError):
                if (run := await claiming) is not None:
                    await self._thread.call(rows.give_back, run)
            raise

    async def _run(self, slot: int, run: WorkRun) -> None:
        try:
            run = await self._carry_out(slot, run)
            self._done(run)
            await self._showing.ended(run)
        except NotTheHost:
            log.info("%s is for the next host to do", run.key)
        except DatabaseError as why:
            log.warning("%s cannot be stored, and is done again later: %s", run.key, why)
        except asyncio.CancelledError:
            with suppress(DatabaseError):
                await self._thread.call(rows.give_back, run)
            raise
        finally:
            self._free(slot)
            self._runs.discard(_current())
            self.call()

    def _free(self, slot: int) -> None:
        """This run does not need the slot any more, which another one may have by now."""
        if self._busy.get(slot) is _current():
            del self._busy[slot]
            self.call()

    async def _carry_out(self, slot: int, run: WorkRun) -> WorkRun:
        """The run with the match that it has opened."""
        kind = self._kinds[run.kind]
        try:
            job = await self._thread.call(kind.job, run)
            if job is None:
                await self._thread.call(rows.answer, run, lambda: None, self._fence)
                return run
            run, found = await self._computed(slot, run, kind, job)
            self._free(slot)
            came = await self._tray.stored(run, found)
            if isinstance(came, Exception):
                raise came
            if not came:
                log.info("%s was answered too late, and not stored", run.key)
        except AnswerRefused as why:
            self._engine.end(slot)
            self._ended += 1
            await self._thread.call(rows.distrust, run, str(why))
        except RunVoid as why:
            log.info("%s counts for nothing, and is done again: %s", run.key, why)
            await self._thread.call(rows.void, run, str(why))
        except (RunLost, RunFailed, *REFUSALS) as why:
            log.warning("%s failed: %s", run.key, why)
            await self._thread.call(rows.fault, run, str(why))
        return run

    async def _store(self, kind: Kind, some: Sequence[Answered]) -> list[Came]:
        """Store these answers. A result is not thrown away because storage fails for a while."""
        failing = LastingTrouble(log, f"{some[0][0].key} and what came with it cannot be stored, trying again")
        while True:
            try:
                came = await self._thread.call(stored, kind, some, self._fence)
                failing.is_over()
                return came
            except (OperationalError, InterfaceError) as why:
                failing.begins(why)
                await asyncio.sleep(AGAIN_S)

    async def _computed(self, slot: int, run: WorkRun, kind: Kind, job: Any) -> tuple[WorkRun, Any]:
        """The run with the match that it has opened, and the engine's answer; meanwhile the lease is kept alive."""
        on_slice = self._showing.begin(run)
        computing = asyncio.get_running_loop().create_task(self._engine.run(slot, kind.function, job, on_slice))
        spent = 0.0
        try:
            while not (await asyncio.wait([computing], timeout=BEAT_S))[0]:
                spent += BEAT_S if self._is_quiet() else 0.0
                if spent >= kind.longest_s:
                    raise RunLost(f"it took longer than {kind.longest_s:g} s")
                if await self._thread.call(rows.beat, run) == Beat.CANCELLED:
                    raise RunLost("it was cancelled, or given to somebody else")
        finally:
            computing.cancel()
            await asyncio.gather(computing, return_exceptions=True)
            run = await self._showing.end(run)
        return run, computing.result()


def _current() -> asyncio.Task[None]:
    task: asyncio.Task[None] | None = asyncio.current_task()
    assert task is not None
    return task
