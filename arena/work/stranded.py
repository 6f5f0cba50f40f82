"""The events that wait for workers in vain, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from django.db.models import QuerySet
from django.db.models.functions import Now

from arena.models import Machine, Work
from arena.work.kinds import PLAY
from arena.work.rows import Open


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


def stranded(machines: Collection[Machine], after: timedelta) -> dict[int | str, Stranded]:
    """The events, and the batches of commands, with work that has been there for as long as `after`, and that none of
    these machines can do.
    """
    return dict([*_given_back(machines, after), *_for_nobody(machines, after)])


def _given_back(machines: Collection[Machine], after: timedelta) -> Iterator[tuple[int | str, Stranded]]:
    """Work that machines which are here have only given back all this time."""
    said = {machine.name: machine.lacks for machine in machines if machine.lacked is not None}
    if said:
        back = _old(after).filter(Open, lacked__lt=Now() - after, worker__in=said)
        for event, worker in back.values_list("spec__event", "worker").distinct():
            yield event, Stranded(Want.LACKING, said[worker])


def why_given_back(player: int, name: str) -> str:
    """Why a worker could not start this bot, in its words; "" if no match of it waits for that reason."""
    back = Work.objects.filter(Open, kind=PLAY, lacked__isnull=False).values_list("worker", "spec")
    workers = {worker for worker, spec in back if player in [seat.get("player") for seat in spec["spec"]["seats"]]}
    for said in Machine.objects.filter(name__in=workers).values_list("lacks", flat=True):
        if (why := said.partition(": ")[2]).startswith(f"{name} "):
            return why
    return ""


def _for_nobody(machines: Collection[Machine], after: timedelta) -> Iterator[tuple[int | str, Stranded]]:
    """Work that waits, and that no machine may have. Its level of the sandbox is known once it is lent."""
    best: dict[str, int] = {}
    for machine in machines:
        for sort in ("", machine.machine_class):
            best[sort] = max(best.get(sort, 0), machine.sandbox)
    for sort, level in best.items():
        lent = _old(after).filter(state=Work.State.WAITING, lent__isnull=False, needs=sort, sandbox__gt=level)
        for event, wanted in lent.values_list("spec__event", "sandbox").distinct():
            yield event, Stranded(Want.SANDBOX, str(wanted))
    nobody = [sort for sort in _sorts() if sort not in (Work.HOST, *best)]
    if nobody:
        waiting = _old(after).filter(state=Work.State.WAITING, needs__in=nobody)
        yield from ((event, NO_WORKER) for event in waiting.values_list("spec__event", flat=True).distinct())


def _sorts() -> Iterator[str]:
    """The classes of machines that waiting matches need. Each is one step in the index, however many wait."""
    waiting = Work.objects.filter(kind=PLAY, state=Work.State.WAITING)
    needs = waiting.order_by("needs").values_list("needs", flat=True)
    sort = needs.first()
    while sort is not None:
        yield sort
        sort = needs.filter(needs__gt=sort).first()


def _old(after: timedelta) -> QuerySet[Work]:
    return Work.objects.filter(kind=PLAY, made__lt=Now() - after, spec__has_key="event")
