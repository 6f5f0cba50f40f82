"""The rows of work: how one is submitted, claimed, kept, answered, and taken from a worker that was lost.

A row waits, then it is out, then it is done. Who claims it gets a token and a lease that lives by heartbeats; an answer
counts only in the transaction that finds its token the newest one. So a run may be lost, or happen twice, and still
each row is answered once. All times are the database's. For threads, not for the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from arena.cluster.lease import Fence, by_holder
from arena.models import Machine, Returned, Work

LASTS = timedelta(seconds=20)
BEAT_S = 5.0
MOST_FAULTS = 3
# What is done is kept so long, for those who look whether anything is.
DONE_KEPT = timedelta(days=1)

Out = Q(state=Work.State.OUT)
# What a row says that nobody has, and no engine knows of.
UNLENT: dict[str, Any] = {"until": None, "lent": None, "job": None}


class Where(NamedTuple):
    """Where a job may be computed: on machines of this class, "" for any, with this level of the sandbox or more."""

    needs: str = ""
    sandbox: int = 0


class Kind(NamedTuple):
    """A kind of work. `function` is what the engine runs, `module:name`; `job` makes what it is given from the spec of
    the row, None where there is nothing left to do; `store` writes its answer, in the transaction that ends the run.
    `where` says which machines may have a job.
    """

    function: str
    job: Callable[[dict[str, Any]], Any]
    store: Callable[[dict[str, Any], Any], None]
    where: Callable[[Any], Where] = lambda job: Where()


class WorkRun(NamedTuple):
    """One attempt at a row: who has it shows the token."""

    work: int
    kind: str
    key: str
    spec: dict[str, Any]
    token: int


def submit(kind: str, works: Iterable[tuple[str, dict[str, Any]]], priority: int) -> None:
    """Have these done, each under its key; what has a row already is left as it is."""
    rows = [Work(kind=kind, key=key, spec=spec, priority=priority) for key, spec in works]
    Work.objects.bulk_create(rows, ignore_conflicts=True)


def claim(worker: str, needs: str | None = None) -> WorkRun | None:
    """Take what is most urgent, for `LASTS`, of what needs just that class of machine; None where nothing waits."""
    waiting = Work.objects.filter(state=Work.State.WAITING).order_by("-priority", "id")
    if needs is not None:
        waiting = waiting.filter(needs=needs)
    for row in waiting[:2]:
        free = Work.objects.filter(pk=row.pk, state=Work.State.WAITING, token=row.token)
        lease = {"until": Now() + LASTS, "worker": worker, "token": row.token + 1, "secret": ""}
        if free.update(state=Work.State.OUT, **lease):
            return WorkRun(row.pk, row.kind, row.key, row.spec, row.token + 1)
    return None


def beat(run: WorkRun) -> bool:
    """Keep the run for `LASTS` more; False where it is another's now, or was cancelled."""
    return bool(_of(run).update(until=Now() + LASTS))


def answer(run: WorkRun, store: Callable[[], None], fence: Fence | None) -> bool:
    """Store what came of it with what follows from it, all or nothing; False where it came too late: nothing is stored.

    Raises NotTheHost where the lease of the host is another's.
    """
    with by_holder(fence), transaction.atomic():
        if not _of(run).update(state=Work.State.DONE, until=None, why="", job=None):
            return False
        store()
        return True


def fault(run: WorkRun, why: str) -> None:
    """The run was lost, and `why`: somebody else tries it, up to `MOST_FAULTS` times."""
    _lost(_of(run), why)


def give_back(run: WorkRun) -> None:
    """The run is not gone on with, through no fault of the work."""
    _of(run).update(state=Work.State.WAITING, **UNLENT)


def sweep() -> None:
    """Take back what is past its lease, but for what has been answered; forget what has been done for long."""
    late = Work.objects.filter(Out, until__lt=Now()).exclude(Exists(Returned.objects.filter(work=OuterRef("pk"))))
    with transaction.atomic():
        for worker in late.values_list("worker", flat=True):
            Machine.objects.filter(name=worker).update(lost=F("lost") + 1)
        _lost(late, "the worker did not answer in its time")
    Work.objects.filter(state=Work.State.DONE, made__lt=Now() - DONE_KEPT).delete()


def _of(run: WorkRun) -> Any:
    return Work.objects.filter(Out, pk=run.work, token=run.token)


def _lost(rows: Any, why: str) -> None:
    with transaction.atomic():
        last = rows.filter(faults__gte=MOST_FAULTS - 1)
        last.update(state=Work.State.FAILED, faults=F("faults") + 1, until=None, why=why)
        rows.filter(faults__lt=MOST_FAULTS - 1).update(
            state=Work.State.WAITING, faults=F("faults") + 1, why=why, **UNLENT
        )
