"""The state of work and workers, read from rows: for a page of the admin, `manage.py work list` and `/metrics`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, Min, OuterRef, Sum
from django.utils import timezone

from arena.models import Machine, Returned, Work
from arena.work.machine_class import own_class

# A worker that has not been heard from for this long counts as gone.
GONE = timedelta(seconds=20)
# A slot whose machine lacks something rests for up to 30 s, and a run may take as long to find that out.
LACKS = timedelta(seconds=90)
MOST_WORKERS = 200
MOST_CLASSES = 50
# Its worker has answered, and its slot is free: the host judges the answer.
_Answered = Exists(Returned.objects.filter(work=OuterRef("pk")))


class WorkerSeen(NamedTuple):
    """A worker, and its state in a word: works, idle, draining, gone, not trusted, of other rules. `lacks`: it is here,
    and gave back a run a moment ago because its machine lacks something.
    """

    machine: Machine
    running: int
    state: str
    lacks: bool

    @property
    def gave_back(self) -> str:
        """What it gave back last, when, and why; "" for nothing."""
        at = self.machine.lacked
        return f"gave back at {at:%d %b %H:%M:%S} {self.machine.lacks}" if at is not None else ""

    @property
    def sandbox(self) -> str:
        """The level of its sandbox, and what that keeps from it."""
        level, least = self.machine.sandbox, settings.ARENA_SANDBOX_MIN
        return f"sandbox {level}" + (f" (no programs of bots: these need {least})" if level < least else "")


class KindCount(NamedTuple):
    """How much work of a kind is in a state, and since when the oldest has been."""

    kind: str
    state: str
    number: int
    oldest: datetime


class WorkTotals(NamedTuple):
    """The totals of all workers of the last day."""

    lost: int
    late: int
    answered: int


def workers_seen(rules: str) -> list[WorkerSeen]:
    """The workers of the last day, present ones first, then by when they were heard. `rules`: our version."""
    now = timezone.now()
    out = (
        Work.objects.filter(state=Work.State.OUT).exclude(secret="").exclude(_Answered).order_by().values_list("worker")
    )
    running = dict(out.annotate(n=Count("pk")))
    seen = [_seen(machine, rules, now, running) for machine in Machine.objects.order_by("-seen")[:MOST_WORKERS]]
    return sorted(seen, key=lambda each: (each.state == "gone", each.machine.name))


def classes() -> list[str]:
    """The known classes of machines: this one's, and those of the workers of the last day."""
    of_workers = Machine.objects.order_by("machine_class").values_list("machine_class", flat=True).distinct()
    return sorted({own_class(), *of_workers[:MOST_CLASSES]})


def _seen(machine: Machine, rules: str, now: datetime, running: dict[str, int]) -> WorkerSeen:
    state = _state(machine, rules, now, running)
    lacks = state in ("works", "idle") and machine.lacked is not None and now - machine.lacked <= LACKS
    return WorkerSeen(machine, running.get(machine.name, 0), state, lacks)


def _state(machine: Machine, rules: str, now: datetime, running: dict[str, int]) -> str:
    if machine.distrusted:
        return "not trusted"
    if now - machine.seen > GONE:
        return "gone"
    if machine.rules != rules:
        return "other rules"
    if machine.draining:
        return "draining"
    return "works" if running.get(machine.name) else "idle"


def counts() -> list[KindCount]:
    """The counts of the rows by kind and state."""
    grouped = Work.objects.order_by("kind", "state").values_list("kind", "state")
    return [KindCount(*row) for row in grouped.annotate(n=Count("pk"), oldest=Min("made"))]


def totals() -> WorkTotals:
    found = Machine.objects.aggregate(lost=Sum("lost"), late=Sum("late"), answered=Sum("answered"))
    return WorkTotals(found["lost"] or 0, found["late"] or 0, found["answered"] or 0)
