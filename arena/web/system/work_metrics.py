"""The metrics of work and workers, read from rows and published by the host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.db import Error

from arena.common.metrics import Sample, each, family, one
from arena.work.rules_version import rules_version
from arena.work.state import counts, totals, workers_seen


def of_work() -> list[str]:
    """Reads the database; empty if that fails, because the other numbers are wanted then."""
    try:
        return list(_of_work())
    except Error:
        return []


def _of_work() -> Iterator[str]:
    work = [Sample("", {"kind": row.kind, "state": row.state}, row.number) for row in counts()]
    seen = workers_seen(rules_version())
    here = [worker for worker in seen if worker.state in ("works", "idle")]
    total = totals()
    yield family("arena_work", "gauge", "Pieces of work, by kind and state.", work)
    yield family("arena_workers", "gauge", "Workers, by state.", each("state", Counter(each.state for each in seen)))
    yield family("arena_worker_slots", "gauge", "Runs that they can have.", one(sum(w.machine.slots for w in here)))
    yield family("arena_worker_slots_used", "gauge", "Runs that they have.", one(sum(w.running for w in here)))
    lacking = sum(worker.lacks for worker in seen)
    yield family("arena_workers_lacking", "gauge", "Workers that gave back a run a moment ago.", one(lacking))
    yield family("arena_worker_answers", "gauge", "Answers stored, of workers of the last day.", one(total.answered))
    yield family("arena_worker_lost", "gauge", "Runs lost, of workers of the last day.", one(total.lost))
    yield family("arena_worker_late", "gauge", "Late answers, of workers of the last day.", one(total.late))
