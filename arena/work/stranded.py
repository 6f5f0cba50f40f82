"""The events that wait for workers in vain, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from arena.models import Machine, Work


class Want(StrEnum):
    """What an event waits for: any worker, one with a better sandbox, or something that its workers' machines lack."""

    WORKER = "worker"
    SANDBOX = "sandbox"
    LACKING = "lacking"


class Stranded(NamedTuple):
    """`words` is the level of the sandbox, or what a worker has said; "" if there is none."""

    want: Want
    words: str = ""


NO_WORKER = Stranded(Want.WORKER)


def stranded(machines: Collection[Machine], after: timedelta) -> dict[int, Stranded]:
    """The events with work that has been there for as long as `after`, and that none of these machines can do."""
    return dict([*_given_back(machines, after), *_for_nobody(machines, after)])


def _given_back(machines: Collection[Machine], after: timedelta) -> Iterator[tuple[int, Stranded]]:
    """Work that machines which are here have only given back all this time."""
    said = {machine.name: machine.lacks for machine in machines if machine.lacked is not None}
    if said:
        back = _old(after).filter(lacked__lt=Now() - after, worker__in=said)
        for event, worker in back.values_list("spec__event", "worker").distinct():
            yield event, Stranded(Want.LACKING, said[worker])


def _for_nobody(machines: Collection[Machine], after: timedelta) -> Iterator[tuple[int, Stranded]]:
    """Work that waits, and that no machine may have. Its level of the sandbox is known once it is lent."""
    best: dict[str, int] = {}
    for machine in machines:
        for sort in ("", machine.machine_class):
            best[sort] = max(best.get(sort, 0), machine.sandbox)
    unserved = ~Q(needs__in=(Work.HOST, *best))
    for sort, level in best.items():
        unserved |= Q(needs=sort, sandbox__gt=level, lent__isnull=False)
    waiting = _old(after).filter(unserved, state=Work.State.WAITING)
    found = set(waiting.values_list("spec__event", "needs", "sandbox").distinct())
    for event, sort, level in sorted(found, key=lambda row: row[1] not in best):
        yield event, Stranded(Want.SANDBOX, str(level)) if sort in best else NO_WORKER


def _old(after: timedelta) -> QuerySet[Work]:
    open_now = Work.objects.filter(state__in=(Work.State.WAITING, Work.State.OUT))
    return open_now.filter(made__lt=Now() - after, spec__has_key="event")
