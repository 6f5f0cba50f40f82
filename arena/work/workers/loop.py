"""A worker: takes rows by their numbers, claims them, has them computed in one process for each slot, and answers.

It knows only three functions of the database. Whatever happens to it, another worker can take the row after 20 s.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from arena.common.logs import LastingTrouble
from arena.work.engine import Engine, MachineLacks, RunFailed, RunLost
from arena.work.forwarding import SliceForwarder
from arena.work.kinds import BEAT_S, WorkerKind
from arena.work.workers.about import About
from arena.work.workers.jobs import AskedWrongly, DatabaseAway, Jobs, queues

log = logging.getLogger("arena.worker")

CLAIM = "SELECT arena_claim(%(said)s, %(work)s, %(token)s, %(secret)s)"
SLICE = "SELECT arena_slice(%(name)s, %(work)s, %(token)s, %(secret)s, %(found)s)"
ANSWER = "SELECT arena_answer(%(name)s, %(work)s, %(token)s, %(secret)s, %(answer)s)"
# While the database is away, an answer is tried again for this long; by then another worker may have the row, and we
# are told.
LONGEST_AWAY_S = 120.0
AGAIN_S = 1.0
# After a failure, or where the machine lacks what a run needs, a slot takes nothing for a while: it would be the first
# to ask for the next run, and a machine on which nothing works would use up the attempts of every match. It rests twice
# as long after each in a row, at most REST_S; a host that was away for a moment is soon asked again.
FAILED_S, REST_S = 2.0, 30.0
MOST_WORDS = 500


class Claimed(NamedTuple):
    """A run of ours, which accompanies everything we say about it."""

    work: int
    kind: str
    key: str
    job: Any
    token: int
    secret: str
    watched: bool = False


def _rest_s(in_a_row: int) -> float:
    return float(min(REST_S, FAILED_S * 2 ** (in_a_row - 1)))


class NotOurs(Exception):
    """The run was cancelled, or belongs to another worker by now."""


class WorkerLoop:
    """Runs until it is cancelled; then its runs have `grace_s` to end, and the rest is given back. A drained one lets
    them end in their own time.
    """

    def __init__(
        self,
        jobs: Jobs,
        about: About,
        engine: Engine,
        kinds: Mapping[str, WorkerKind],
        grace_s: float,
    ) -> None:
        self._jobs, self._about, self._engine = jobs, about, engine
        self._kinds, self._grace_s = kinds, grace_s
        self._free = list(range(about.slots))
        self._taking: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()
        self._failures = self._lacks = 0
        self._lacks_until = 0.0
        self._orders = ""

    async def run(self) -> None:
        """Say every few seconds that we are here, and take work unless somebody has ordered otherwise."""
        away = LastingTrouble(log, "the database cannot be reached, and no work is taken", DatabaseAway)
        try:
            while True:
                try:
                    await self._obey(await self._claim())
                    away.is_over()
                except DatabaseAway as why:
                    away.begins(why)
                await asyncio.sleep(BEAT_S)
        finally:
            self._ending.set()
            await self._take_nothing()
            await self._jobs.end(self._grace_s)

    async def _obey(self, said: Mapping[str, Any]) -> None:
        orders = f"it is not trusted: {said['distrusted']}" if said["distrusted"] else ""
        orders = orders or ("it was drained" if said["draining"] else "")
        if orders != self._orders:
            log.warning("this worker takes nothing, because %s", orders) if orders else log.info("takes work again")
            self._orders = orders
        if orders:
            await self._take_nothing()
        elif self._taking is None:
            about = self._about
            names = queues(about.kinds, about.rules, about.machine_class, about.sandbox)
            taking = self._jobs.take(names, about.slots, self._take)
            self._taking = asyncio.get_running_loop().create_task(taking)
        elif self._taking.done():
            self._taking.result()  # a worker that takes nothing should not seem to

    async def _take_nothing(self) -> None:
        taking, self._taking = self._taking, None
        if taking is not None:
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)

    # -- one run -------------------------------------------------------------------------------------------------------

    async def _take(self, work: int) -> None:
        said = await self._claim(work)
        if said is None:
            return  # somebody else has it, or it was cancelled
        # A newer host of the same rules may say more than is known here.
        run = Claimed(**{name: said[name] for name in Claimed._fields if name in said})
        slot = self._free.pop()
        log.info("%s: begun", run.key)
        try:
            found = await self._computed(slot, run)
        except NotOurs:
            log.info("%s: no longer ours", run.key)
            return
        except MachineLacks as why:
            await self._give_back(run, str(why))
            return
        except asyncio.CancelledError:
            await self._answer(run, None, 0.0)
            raise
        finally:
            self._free.append(slot)
        if await self._answer(run, json.dumps(found), LONGEST_AWAY_S):
            log.info("%s: answered", run.key)
        else:
            log.warning("%s: answered too late, and not taken", run.key)
        self._failures = self._failures + 1 if "failed" in found else 0
        if self._failures:
            await self._rest(_rest_s(self._failures))
        else:
            self._lacks = 0

    async def _computed(self, slot: int, run: Claimed) -> dict[str, Any]:
        """The outcome, in the form that the host reads; meanwhile the lease is kept alive."""
        forwarder = SliceForwarder(partial(self._send_slice, run), run.watched)
        computing = asyncio.get_running_loop().create_task(self._run(slot, run, forwarder))
        spent, longest_s = 0.0, self._kinds[run.kind].longest_s
        try:
            while not (await asyncio.wait([computing], timeout=BEAT_S))[0]:
                spent += BEAT_S
                if spent >= longest_s:
                    return {"failed": f"it took longer than {longest_s:g} s"}
                try:
                    said = await self._claim(run.work, run.token, run.secret)
                    if not said["kept"]:
                        raise NotOurs
                    if said["watched"]:
                        forwarder.begin()
                except DatabaseAway as why:
                    log.warning("%s: goes on without the database: %s", run.key, why)
            return {"answer": computing.result()}
        except MachineLacks:
            raise
        except (RunFailed, RunLost, OSError, ValueError) as why:
            log.warning("%s: failed: %s", run.key, why)
            return {"failed": str(why)}
        finally:
            computing.cancel()
            await asyncio.gather(computing, return_exceptions=True)
            await forwarder.close()

    async def _run(self, slot: int, run: Claimed, forwarder: SliceForwarder) -> Any:
        """The run, with the credentials that a host sees when it is asked for a program."""
        job = run.job
        if isinstance(job, dict) and job.get("programs"):
            job = {**job, "shown": f"{run.work}.{run.token}.{run.secret}"}
        kind = self._kinds[run.kind]
        return await self._engine.run(slot, kind.function, job, forwarder.add if kind.has_slices else None)

    # -- the three functions -------------------------------------------------------------------------------------------

    async def _claim(self, work: int | None = None, token: int | None = None, secret: str | None = None) -> Any:
        return await self._jobs.ask(CLAIM, said=self._about.to_data(), work=work, token=token, secret=secret)

    async def _give_back(self, run: Claimed, why: str) -> None:
        """Give the run back, say why for those who wait for it, and rest. A host that does not know of reasons takes
        ours for a heartbeat. Whoever no longer has the run was refused for that, and lacks nothing.
        """
        said = {**self._about.to_data(), "lacks": f"{run.key}: {why}".replace("\0", "")[:MOST_WORDS]}
        with suppress(DatabaseAway, AskedWrongly):
            if not (await self._claim(run.work, run.token, run.secret))["kept"]:
                log.info("%s: no longer ours: %s", run.key, why)
                return
            await self._jobs.ask(CLAIM, said=said, work=run.work, token=run.token, secret=run.secret)
        if (now := asyncio.get_running_loop().time()) >= self._lacks_until:  # else another slot lacks it as well
            self._lacks += 1
            self._lacks_until = now + _rest_s(self._lacks)
        rest_s = self._lacks_until - now
        log.warning("%s: given back, and its slot rests for %.1f s: %s", run.key, rest_s, why)
        await self._answer(run, None, LONGEST_AWAY_S)
        await self._rest(rest_s)

    async def _rest(self, seconds: float) -> None:
        """Take nothing into this slot for so long, unless the worker is asked to end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ending.wait()

    async def _send_slice(self, run: Claimed, found: Any) -> bool:
        shown = {"name": self._about.name, "work": run.work, "token": run.token, "secret": run.secret}
        try:
            return bool(await self._jobs.ask(SLICE, found=json.dumps(found), **shown))
        except AskedWrongly as why:
            log.warning("the match is not shown while it is played: %s", why)
            return False

    async def _answer(self, run: Claimed, answer: str | None, patience_s: float) -> bool:
        """Answer; whether that was accepted. None gives the run back."""
        shown = {"name": self._about.name, "work": run.work, "token": run.token, "secret": run.secret}
        until = asyncio.get_running_loop().time() + patience_s
        while True:
            try:
                return bool(await self._jobs.ask(ANSWER, answer=answer, **shown))
            except DatabaseAway as why:
                if asyncio.get_running_loop().time() >= until:
                    log.warning("%s: cannot be answered: %s", run.key, why)
                    return False
            except AskedWrongly as why:
                log.error("%s: its answer is refused: %s", run.key, why)
                return False
            await asyncio.sleep(AGAIN_S)
