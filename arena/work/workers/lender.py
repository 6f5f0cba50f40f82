"""The host's side of workers: lends them rows, and judges and stores their answers.

Like the desk, it knows nothing that is not in the rows. A lent row waits until a worker claims it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections import Counter as Counts
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, DataError, IntegrityError, transaction
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Now

from arena.cluster.lease import Fence, NotTheHost
from arena.common.logs import LastingTrouble
from arena.models import LogSlice, Machine, Work
from arena.work import rows
from arena.work.database_thread import DatabaseThread
from arena.work.engine import RunFailed
from arena.work.rows import MOST_WORDS, UNREADABLE, Answered, AnswerRefused, Came, Kind, RunVoid, WorkRun, WorkRunKey
from arena.work.rules_version import rules_version
from arena.work.showing import Screen, end_left_open
from arena.work.state import GONE
from arena.work.stranded import Stranded, stranded
from arena.work.tray import LIE_S, MOST_AT_ONCE, stored
from arena.work.workers import asking, jobs
from arena.work.workers.asking import FromWorkers, ToDo, ToLend
from arena.work.workers.places import LENT, WAITING, Places

log = logging.getLogger("arena.work")

# How often the rows are checked while something is lent, and otherwise; and how often problems are looked for.
BUSY_S, IDLE_S, SWEEP_S = 0.1, 2.0, 5.0
# A worker that has not been heard from for this long is forgotten.
FORGOTTEN = timedelta(days=1)
# A row that nobody has claimed this long after it was lent is looked for among the jobs.
UNCLAIMED = timedelta(seconds=10)
# After this long without a worker that could take it, those who wait for the work are told.
STRANDED = timedelta(seconds=30)


class Lender:
    """`done` hears of each run that is over, `here` is called when something is for this machine alone; both on the
    loop. `screen` shows what workers report of running matches.
    """

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        fence: Fence | None,
        done: Callable[[WorkRun], None],
        here: Callable[[], None],
        screen: Screen | None = None,
    ) -> None:
        self._counter = Counter(kinds, fence)
        self._done, self._here, self._screen = done, here, screen
        self._called = asyncio.Event()
        self._first_came = math.inf
        self._failing = LastingTrouble(log, "nothing is lent to workers for now, trying again", DatabaseError)
        self._thread = DatabaseThread("arena-lender")
        self._task = asyncio.get_running_loop().create_task(self._serve())

    def call(self) -> None:
        """There may be something to do."""
        self._called.set()

    @property
    def stranded(self) -> Mapping[int | str, Stranded]:
        """The events that have waited for workers in vain for a while."""
        return self._counter.stranded

    async def close(self) -> None:
        """Stop. What is lent stays lent: the next host takes what comes back."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._thread.close()

    async def _serve(self) -> None:
        looked, busy = -math.inf, False
        while True:
            now = time.monotonic()
            called, is_due = self._called.is_set(), now - looked >= IDLE_S
            self._called.clear()
            try:
                news = await self._thread.call(self._counter.news)
                if called or is_due or any(news):
                    looked, busy = (now if is_due else looked), False
                    busy = await self._look(news, is_due)
                self._failing.is_over()
            except NotTheHost:
                log.info("what workers answer is for the next host to store")
            except Exception as why:
                self._failing.begins(why)
            with suppress(TimeoutError):
                async with asyncio.timeout(BUSY_S if busy else IDLE_S):
                    await self._called.wait()

    async def _look(self, news: FromWorkers, is_due: bool) -> bool:
        """Whether something is lent. When it `is_due`, what is lent is also compared with the workers that are left."""
        if news.told and self._screen is not None:
            for match in await self._thread.call(self._counter.take_slices):
                await self._show(self._screen, match)
        for run in await self._thread.call(self._counter.sweep):
            self._done(run)
        to_do = await self._thread.call(self._counter.to_do)
        if to_do.matches and self._screen is not None:
            await end_left_open(self._thread, self._counter.kinds, self._screen, self._done)
        if to_do.matches or to_do.to_lend or is_due and to_do.lent:
            if await self._thread.call(self._counter.lend):
                self._here()
            to_do = await self._thread.call(self._counter.to_do)
        if self._is_time_to_store(news.answered, to_do.ready):
            await self._take_back()
        return to_do.lent

    def _is_time_to_store(self, answered: bool, ready: bool) -> bool:
        """Answers are stored together after a while, or at once if no work lies ready for workers."""
        now = time.monotonic()
        self._first_came = min(self._first_came, now) if answered else math.inf
        return answered and not (ready and now - self._first_came < LIE_S)

    async def _take_back(self) -> None:
        self._first_came = math.inf
        while over := await self._thread.call(self._counter.take_back):
            for run in over:
                self._done(run)
            for run in over:
                if run.match and self._screen is not None:
                    await self._show(self._screen, run.match)
            if len(over) < MOST_AT_ONCE:
                return

    async def _show(self, screen: Screen, match: str) -> None:
        try:
            await screen.show(match)
        except (DatabaseError, NotTheHost):
            raise
        except Exception:  # its log is damaged, for example: what came with it is still to be shown
            log.exception("match %s, which a worker plays, cannot be shown", match)


class Counter:
    """The lender's work on rows: for a thread, not for the loop."""

    def __init__(self, kinds: Mapping[str, Kind], fence: Fence | None) -> None:
        self.kinds, self._fence = kinds, fence
        self._swept = -math.inf
        self.stranded: Mapping[int | str, Stranded] = {}
        self._given_up: frozenset[int] = frozenset()
        self._places = Places()

    def news(self) -> FromWorkers:
        """It is asked ten times a second, so it costs little."""
        return asking.news(self.kinds)

    def to_do(self) -> ToDo:
        """What there is to do besides."""
        return asking.to_do(self.kinds)

    # -- what is told meanwhile ----------------------------------------------------------------------------------------

    def take_slices(self) -> list[str]:
        """Judge and store some of the slices that have come. Returns the matches with news.

        Raises NotTheHost. An impossible report of a worker is dropped here, because its answer will repeat it.
        """
        came = list(_first_told(self.kinds))
        matches = dict.fromkeys(match for each in came if (match := self._stored_slice(each)))
        LogSlice.objects.filter(pk__in=[each.pk for each in came]).delete()
        return list(matches)

    def _stored_slice(self, said: LogSlice) -> str:
        kind = self.kinds.get(said.work.kind)
        if kind is None or kind.store_slice is None or said.work.rules != rules_version():
            return ""
        said.work.refresh_from_db(fields=["match", "token"])
        run = rows.run_of(said.work, said.token, said.worker)
        try:
            return kind.store_slice(run, json.loads(said.found), self._fence)
        except (AnswerRefused, DataError, IntegrityError, *UNREADABLE) as why:
            log.info("%s: what %s tells of it is not shown: %s", run.key, run.worker, why)
            return ""

    # -- what comes back -----------------------------------------------------------------------------------------------

    def take_back(self) -> list[WorkRun]:
        """Judge and store some of the answers. Returns the runs that are over. Raises NotTheHost."""
        back = asking.first_that_came(self.kinds, MOST_AT_ONCE)
        answers = []
        for _, found, rules, run in back:
            if rules == rules_version():
                answers.append((run, found))
            else:
                rows.void(run, f"its worker played by the rules {rules}, which are not those here any more")
        told: Counts[tuple[str, bool]] = Counts()
        for kind in dict.fromkeys(run.kind for run, _ in answers):
            some = [(run, text) for run, text in answers if run.kind == kind]
            for (run, _), came in zip(some, self._stored(self.kinds[kind], some), strict=True):
                if isinstance(came, bool):
                    told[run.worker, came] += 1
                else:
                    self._not_stored(run, came)
        workers = {worker for worker, _ in told}
        asking.judged([each.row for each in back], [(each, told[each, True], told[each, False]) for each in workers])
        return [each.run for each in back]

    def _stored(self, kind: Kind, some: Sequence[tuple[WorkRun, str]]) -> list[Came]:
        """The outcome of each answer; they are stored together if the kind can do that."""
        came: dict[WorkRunKey, Came] = {}
        answered: list[Answered] = []
        for run, text in some:
            try:
                answered.append((run, _answer_in(text)))
            except (RunFailed, AnswerRefused) as why:
                came[run.key_of_run] = why
        found = stored(kind, answered, self._fence)
        came |= {run.key_of_run: each for (run, _), each in zip(answered, found, strict=True)}
        return [came[run.key_of_run] for run, _ in some]

    def _not_stored(self, run: WorkRun, why: Exception) -> None:
        if isinstance(why, AnswerRefused):
            self._distrust(run, str(why))
        elif isinstance(why, RunVoid):
            rows.void(run, str(why))
        elif isinstance(why, RunFailed):
            log.warning("%s failed at %s: %s", run.key, run.worker, why)
            rows.fault(run, str(why))
        else:
            log.warning("%s cannot be stored: %s", run.key, why)
            rows.fault(run, f"{type(why).__name__}: {why}")

    def _distrust(self, run: WorkRun, why: str) -> None:
        """Give it nothing more, and give what it has to others."""
        rows.distrust(run, why)
        theirs = Work.objects.filter(rows.Out, worker=run.worker).exclude(secret="")
        theirs.update(state=Work.State.WAITING, **rows.UNLENT)

    # -- what goes wrong -----------------------------------------------------------------------------------------------

    def sweep(self) -> list[WorkRun]:
        """Take back rows that no worker has any more, or ever heard of. Returns those that are `given_up`."""
        if (now := time.monotonic()) - self._swept < SWEEP_S:
            return []
        self._swept = now
        if rows.sweep():
            self._sweep_jobs()
        self.stranded = stranded(workers(self.kinds, STRANDED), STRANDED)
        return self.given_up()

    def _sweep_jobs(self) -> None:
        unclaimed = Work.objects.filter(WAITING, lent__lt=Now() - UNCLAIMED)
        lost = jobs.without_job(unclaimed.values_list("pk", flat=True))
        other = unclaimed.exclude(rules=rules_version()).values_list("pk", flat=True)
        if again := {*lost, *other}:
            jobs.forget(again)
            unclaimed.filter(pk__in=again).update(**rows.UNLENT)
        jobs.tidy()
        Machine.objects.filter(seen__lt=Now() - FORGOTTEN).delete()

    def given_up(self) -> list[WorkRun]:
        """Rows cancelled since the last look or lost too often: no worker answers for these."""
        over = Work.objects.filter(kind__in=self.kinds, state__in=(Work.State.FAILED, Work.State.CANCELLED))
        before, self._given_up = self._given_up, frozenset(over.values_list("pk", flat=True))
        new = Work.objects.filter(pk__in=self._given_up - before)
        return [rows.run_of(row, row.token, row.worker) for row in new.defer("job")]

    # -- what is lent --------------------------------------------------------------------------------------------------

    def lend(self) -> bool:
        """Lend the waiting rows that workers can begin soon. Returns whether some are for this machine alone."""
        free = self._places.free(slots(self.kinds))
        self._call_back(free.too_much)
        found = asking.waiting(self.kinds, min(free.wanted, MOST_AT_ONCE), min(free.rest, MOST_AT_ONCE))
        with transaction.atomic():  # one for all: a worker that hears of the first finds the others
            lent = [self._lend_one(each) for each in found]
        return any(lent)

    def _call_back(self, works: list[int]) -> None:
        """Call these back, because their places are needed. A worker hears of it with its next heartbeat."""
        if works:
            log.info("work %s is called back: others wait for its place", ", ".join(map(str, works)))
            with transaction.atomic():
                Work.objects.filter(LENT, pk__in=works).update(state=Work.State.WAITING, **rows.UNLENT)
                jobs.forget(works)

    def _lend_one(self, each: ToLend) -> bool:
        run = each.run
        free = Work.objects.filter(WAITING, pk=run.work, lent=None)
        try:
            kind = self.kinds[run.kind]
            job = kind.job(run)
        except (LookupError, TypeError, ValueError) as why:
            log.warning("%s cannot be begun: %s", run.key, why)
            free.update(state=Work.State.FAILED, why=f"{type(why).__name__}: {why}"[:MOST_WORDS])
            return False
        if job is None:
            free.update(state=Work.State.DONE)
            return False
        where = kind.where(job)
        if where.needs == Work.HOST:
            return bool(free.update(needs=Work.HOST))
        if asking.lend(run.work, job, rules_version(), where.sandbox, where.needs):
            jobs.defer(run.work, jobs.queue(run.kind, rules_version(), where), each.priority)
        return False


def _first_told(kinds: Collection[str]) -> QuerySet[LogSlice]:
    """The first reports of works of these kinds, with the works, which are not joined: see `asking`."""
    kind = Subquery(Work.objects.filter(pk=OuterRef("work")).values("kind"))
    found = LogSlice.objects.annotate(kind=kind).filter(kind__in=kinds).order_by("pk")
    return found.prefetch_related(Prefetch("work", Work.objects.defer("job")))[:MOST_AT_ONCE]


def _answer_in(text: str) -> Any:
    """The answer that a worker has sent. Raises RunFailed if its function did, AnswerRefused for what none sends."""
    try:
        said = json.loads(text)
        if "failed" not in said:
            return said["answer"]
        why = str(said["failed"])
    except UNREADABLE as wrong:
        raise AnswerRefused(f"it cannot be read: {wrong!r}") from None
    raise RunFailed(rows.in_words(why))


def workers(kinds: Collection[str], since: timedelta = GONE) -> list[Machine]:
    """The workers that are there, or were a moment ago, and may take work of these kinds from this host."""
    here = Machine.objects.filter(seen__gte=Now() - since, draining=False, distrusted="", rules=rules_version())
    return [machine for machine in here.order_by("name") if not set(kinds).isdisjoint(machine.takes)]


def slots(kinds: Collection[str]) -> int:
    """How many runs of these kinds they can have at once."""
    return sum(machine.slots for machine in workers(kinds))
