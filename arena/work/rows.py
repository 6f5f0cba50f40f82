"""The rows of work: how one is submitted, claimed, kept, answered, and taken from a lost worker.

A row waits, then it is out, then it is done. The worker that claims it gets a token and a lease that heartbeats renew;
an answer counts only in the transaction that finds its token to be the newest. So a run may be lost, or happen twice,
and still each row is answered once. All times are the database's. For threads, not for the loop.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import timedelta
from enum import StrEnum
from itertools import chain
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from arena.cluster.lease import Fence, NotTheHost, by_holder, cap
from arena.cluster.part import SWEEPER, turn
from arena.models import Audit, Machine, Match, Returned, Work
from arena.work.kinds import LONGEST_S, Where

log = logging.getLogger("arena.work")

LASTS = timedelta(seconds=20)
MOST_FAULTS = 3
# Finished rows are kept this long, for readers who check on them; so long if nobody has read the answer in them.
DONE_KEPT, UNREAD_KEPT = timedelta(days=1), timedelta(days=7)

OPEN = (Work.State.WAITING, Work.State.OUT)
Open, Out = Q(state__in=OPEN), Q(state=Work.State.OUT)
# The status text of a row that nobody holds and no engine knows of.
UNLENT: dict[str, Any] = {"until": None, "lent": None, "job": None}


class Beat(StrEnum):
    """The reply to a run that says it is alive. A run whose row belongs to another one is cancelled too."""

    KEPT = "kept"
    CANCELLED = "cancelled"


class AnswerRefused(Exception):
    """A worker's answer cannot be true; the message says why. Nothing was stored."""


class RunVoid(Exception):
    """The run is void, through nobody's fault, and is done again."""


# What is raised where another value was expected than the one in an answer: JSON can hold any, at any depth.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
MOST_WORDS = 500

# A row, and the token of an attempt at it.
WorkRunKey = tuple[int, int]


class WorkRun(NamedTuple):
    """One attempt at a row; its holder shows the token. `voids` counts the void attempts before it, `match` is the
    match that its slices have opened, `watched` says whether anybody wants them.
    """

    work: int
    kind: str
    key: str
    spec: dict[str, Any]
    token: int
    worker: str = ""
    voids: int = 0
    match: str = ""
    watched: bool = False

    @property
    def key_of_run(self) -> WorkRunKey:
        """The key of an attempt: its row and its number."""
        return self.work, self.token


# The answer of a run; its outcome: whether it counts, or why it must not be stored.
Answered = tuple[WorkRun, Any]
Came = bool | Exception


class Kind(NamedTuple):
    """A kind of work. `function` (`module:name`) is what the engine runs; `job` makes its argument from the run, None
    if there is nothing left to do. `store` stores its answer with `answer` and returns what that returned; it raises
    AnswerRefused or RunVoid if the answer must not be stored. A run takes at most `longest_s`. `where` says which
    machines may have a job. `store_all` does the same as `store` with several answers, for less. `store_slice` stores a
    part of an answer with `keep_slice`, and returns the match that it opened or continues, "" for none.
    """

    function: str
    job: Callable[[WorkRun], Any]
    store: Callable[[WorkRun, Any, Fence | None], bool]
    longest_s: float = LONGEST_S
    where: Callable[[Any], Where] = lambda job: Where()
    store_all: Callable[[Sequence[Answered], Fence | None], list[Came]] | None = None
    store_slice: Callable[[WorkRun, Any, Fence | None], str] | None = None


# Written in SQL: through the ORM a row takes a fifth of the host's time for a returned match.
SUBMIT = """
INSERT INTO arena_work (
    kind, key, spec, priority, state, token, worker, faults, voids, late, why, made, needs, rules, sandbox, secret
) VALUES {rows} ON CONFLICT DO NOTHING
"""
ROW = "(%s, %s, %s, %s, 'waiting', 0, '', 0, 0, 0, '', %s, %s, '', 0, '')"
MOST_ROWS = 100


def submit(kind: str, works: Iterable[tuple[str, dict[str, Any]]], priority: int, needs: str = "") -> int:
    """Submit these, each under its key, unless it exists, for machines of this class. Returns how many are new."""
    made = connection.ops.adapt_datetimefield_value(timezone.now())
    values = [(kind, key, json.dumps(spec), priority, made, needs) for key, spec in works]
    new = 0
    with connection.cursor() as cursor:
        for first in range(0, len(values), MOST_ROWS):
            some = values[first : first + MOST_ROWS]
            cursor.execute(SUBMIT.replace("{rows}", ", ".join([ROW] * len(some))), list(chain(*some)))
            new += max(0, cursor.rowcount)
    return new


def submit_again(key: str) -> None:
    """Have this done once more, if the first time was in vain. The answer of an earlier run still comes too late."""
    done = Work.objects.filter(key=key, state=Work.State.DONE)
    done.update(state=Work.State.WAITING, faults=0, voids=0, why="", match="")


def cancel(works: QuerySet[Work], why: str) -> int:
    """Cancel these: their rows say so and why, until somebody decides otherwise. Runs that are out hear of it with
    their next heartbeat, and store nothing. Returns how many there were.
    """
    left = works.filter(Open)
    with transaction.atomic():
        _lock(left)
        return left.update(state=Work.State.CANCELLED, why=why, **UNLENT)


def open_of(event: int) -> list[str]:
    """The keys of the event's rows that wait or are out, locked: always before the event itself."""
    found = Work.objects.filter(Open, spec__event=event)
    return list(found.order_by("pk").select_for_update().values_list("key", flat=True))


def withdraw(keys: Collection[str]) -> None:
    """The process that submitted these no longer wants them, and may submit them again. Runs that are out store
    nothing; rows with an open match stay until it is ended: `left_open`.
    """
    unwanted = Work.objects.filter(Open, key__in=keys)
    with transaction.atomic():
        _lock(unwanted)
        unwanted.exclude(match="").update(state=Work.State.WAITING, **UNLENT)
        unwanted.filter(match="").only("pk").delete()


def watch(kind: str, event: int, watched: bool) -> None:
    """Say whether slices of this event's rows are wanted. Runs that already send them continue until they end."""
    these = Work.objects.filter(kind=kind, spec__event=event, state=Work.State.WAITING)
    if watched:
        these = Work.objects.filter(Open, kind=kind, spec__event=event)
    others = these.exclude(watched=watched)
    with transaction.atomic():
        _lock(others)
        others.update(watched=watched)


def watched(runs: Collection[int]) -> set[int]:
    """The rows, of these, whose match somebody wants to see while it is played."""
    return set(Work.objects.filter(pk__in=runs, watched=True).values_list("pk", flat=True)) if runs else set()


def told() -> list[str]:
    """The matches that runs have opened in slices and not ended by an answer."""
    return list(Work.objects.exclude(match="").values_list("match", flat=True))


def left_open(kinds: Collection[str]) -> list[Work]:
    """Rows whose run opened a match and will not end it: it was lost, or the match ended otherwise."""
    ended = Exists(Match.objects.filter(pk=OuterRef("match"), ended__isnull=False))
    return list(Work.objects.exclude(match="").filter(~Out | ended, kind__in=kinds).defer("job"))


def closed(work: int, match: str) -> None:
    """The match that a run of this row left open has ended; the row may be claimed again."""
    row = Work.objects.filter(pk=work, match=match)
    row.filter(Out).update(state=Work.State.WAITING, **UNLENT)
    row.update(match="")


def keep_slice(run: WorkRun, match: str, store: Callable[[], None], fence: Fence | None) -> bool:
    """Store a part of the run's answer, which opens or continues this match; False if the row now belongs to another
    run. Raises NotTheHost. For a thread that keeps its connection.
    """
    with by_holder(fence, keeps=True):
        if not _of(run).update(match=match):
            return False
        store()
        return True


def take_over(kinds: Collection[str], fence: Fence | None, lends: bool) -> None:
    """Take back the rows that an earlier host's own processes had and, if this one lends nothing, what workers have:
    nobody would judge their answers. Raises NotTheHost.
    """
    with by_holder(fence):
        if lends:
            theirs = Work.objects.filter(Out, kind__in=kinds, secret="")
        else:
            theirs = Work.objects.filter(Out | Q(state=Work.State.WAITING, lent__isnull=False), kind__in=kinds)
            Returned.objects.filter(work__kind__in=kinds).delete()
        theirs.update(state=Work.State.WAITING, **UNLENT)


def claim(worker: str, kinds: Collection[str], needs: Collection[str] | None = None) -> WorkRun | None:
    """Take the most urgent row of these kinds for `LASTS`, only of named classes if any. None if nothing waits."""
    waiting = Work.objects.filter(state=Work.State.WAITING, match="", kind__in=kinds).order_by("-priority", "id")
    if needs is not None:
        waiting = waiting.filter(needs__in=needs)
    for row in waiting[:2]:
        free = Work.objects.filter(pk=row.pk, state=Work.State.WAITING, token=row.token)
        lease = {"until": Now() + LASTS, "worker": worker, "token": row.token + 1, "secret": ""}
        if free.update(state=Work.State.OUT, **lease):
            return run_of(row, row.token + 1, worker)
    return None


def run_of(row: Work, token: int, worker: str) -> WorkRun:
    """This worker's attempt at the row."""
    return WorkRun(row.pk, row.kind, row.key, row.spec, token, worker, row.voids, row.match, row.watched)


def beat(run: WorkRun) -> Beat:
    """Keep the run for another `LASTS`, unless its row belongs to another one now, or was cancelled."""
    return Beat.KEPT if _of(run).update(until=Now() + LASTS) else Beat.CANCELLED


def answer(run: WorkRun, store: Callable[[], None], fence: Fence | None) -> bool:
    """Store the result with its consequences, all or nothing; False, counted in the row, if it came too late. Raises
    NotTheHost. For a thread that keeps its connection.
    """
    return bool(answer_all([run], lambda newest: store(), fence))


def answer_all(
    runs: Sequence[WorkRun], store: Callable[[Collection[WorkRunKey]], None], fence: Fence | None
) -> frozenset[WorkRunKey]:
    """Like `answer` for several answers, all or nothing: `store` gets those that did not come too late."""
    with by_holder(fence, keeps=True):
        out = _locked_out([run.work for run in runs])
        newest = frozenset(run.key_of_run for run in runs if (*run.key_of_run, run.worker) in out)
        _now_done([work for work, _ in newest])
        if late := [run.work for run in runs if run.key_of_run not in newest]:
            Work.objects.filter(pk__in=late).update(late=F("late") + 1)
        if newest:
            store(newest)
        return newest


# Written in SQL: through the ORM they cost more than storing the whole match.
OUT_OF = "SELECT id, token, worker FROM arena_work WHERE state = 'out' AND id IN ({works})"
DONE = """
UPDATE arena_work SET state = 'done', until = NULL, why = '', job = NULL, match = '', lacked = NULL
WHERE id IN ({works})
"""


def _locked_out(works: list[int]) -> set[tuple[int, int, str]]:
    """The holders of these rows, which cannot change until the end of the transaction."""
    if not works:
        return set()
    locks = " ORDER BY id FOR UPDATE" if connection.features.has_select_for_update else ""
    with connection.cursor() as cursor:
        cursor.execute(OUT_OF.replace("{works}", ", ".join(["%s"] * len(works))) + locks, works)
        return set(cursor.fetchall())


def keep_answer(work: int, answer: str) -> None:
    """Keep the answer in its row, for a process that waits for it there. Called in the transaction that stores it."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE arena_work SET kept = %s WHERE id = %s", [answer, work])


def _now_done(works: list[int]) -> None:
    if works:
        with connection.cursor() as cursor:
            cursor.execute(DONE.replace("{works}", ", ".join(["%s"] * len(works))), works)


def fault(run: WorkRun, why: str) -> None:
    """The run was lost, for the reason `why`: another worker tries it, up to `MOST_FAULTS` times."""
    _lost(_of(run), why)


def void(run: WorkRun, why: str) -> None:
    """The run is void and is done again; nobody is to blame."""
    _of(run).update(state=Work.State.WAITING, voids=F("voids") + 1, why=in_words(why), **UNLENT)


def give_back(run: WorkRun) -> None:
    """The run is abandoned, through no fault of the work."""
    _of(run).update(state=Work.State.WAITING, **UNLENT)


def distrust(run: WorkRun, why: str) -> None:
    """Its worker has given an impossible answer: it gets no more work, and another worker tries this. An impossible
    answer that also came too late is no less a lie.
    """
    why = in_words(why)
    log.error("%s: the answer of the worker %s is refused, and the worker not trusted: %s", run.key, run.worker, why)
    with transaction.atomic():
        Machine.objects.filter(name=run.worker, distrusted="").update(distrusted=f"{run.key}: {why}")
        Audit.objects.note("the arena", "distrust worker", run.worker, key=run.key, why=why)
        _lost(_of(run), f"the answer of the worker {run.worker} is refused: {why}")


def sweep() -> bool:
    """Take back unanswered rows whose lease has expired, and delete rows that were done long ago.

    False if another process does so. For a thread that keeps its connection.
    """
    fence = turn(SWEEPER, keeps=True)
    if fence is None:
        return False
    try:
        with by_holder(fence, keeps=True):
            _sweep()
    except NotTheHost:
        return False
    return True


def _sweep() -> None:
    cap(Work.objects.filter(Out), "until", LASTS)
    late = Work.objects.filter(Out, until__lt=Now()).exclude(Exists(Returned.objects.filter(work=OuterRef("pk"))))
    with transaction.atomic():
        for worker in late.values_list("worker", flat=True):
            Machine.objects.filter(name=worker).update(lost=F("lost") + 1)
        _lost(late, "the worker did not answer in its time")
    done = Work.objects.filter(state=Work.State.DONE, made__lt=Now() - DONE_KEPT)
    done.filter(Q(kept="") | Q(made__lt=Now() - UNREAD_KEPT)).delete()


def _lock(these: QuerySet[Work]) -> None:
    """Lock these in the order of their numbers, as answers are: two who lock the same ones in other orders would wait
    for each other, until the database ends one of them.
    """
    if connection.features.has_select_for_update:
        list(these.order_by("pk").select_for_update().values_list("pk"))


def _of(run: WorkRun) -> Any:
    return Work.objects.filter(Out, pk=run.work, token=run.token, worker=run.worker)


def _lost(rows: Any, why: str) -> None:
    why = in_words(why)
    with transaction.atomic():
        last = rows.filter(faults__gte=MOST_FAULTS - 1)
        last.update(state=Work.State.FAILED, faults=F("faults") + 1, until=None, why=why)
        rows.filter(faults__lt=MOST_FAULTS - 1).update(
            state=Work.State.WAITING, faults=F("faults") + 1, why=why, **UNLENT
        )


def in_words(why: str) -> str:
    """As much of it as a row says, without what no database stores: a worker may have said it."""
    return why[:MOST_WORDS].replace("\0", "").encode(errors="replace").decode()
