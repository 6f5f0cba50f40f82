"""What superusers may order of work and workers; rows say it, and desk, lender and workers obey within seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest

from arena.admin.acting import Action, Reasoned, Unasked
from arena.match.commands import Refusal
from arena.models import Machine, Work
from arena.web.match import staff
from arena.work.workers import orders


def _order(
    words: str,
    none: str,
    came: str,
    of: Callable[[Any], int],
    request: HttpRequest,
    row: Any,
    said: dict[str, Any],
    stood: str,
) -> str:
    """Do it and record it. Raises Refusal where there is nothing to do any more."""
    before = _stands(row)
    if not of(type(row).objects.filter(pk=row.pk)):
        raise Refusal("nothing", f"{none} Nothing was done.")
    row.refresh_from_db()
    reason = " ".join(said["reason"].split())
    staff.record(request.user, words, row, reason=reason, before=before, after=_stands(row))
    return came


def _stands(row: Machine | Work) -> dict[str, Any]:
    if isinstance(row, Machine):
        return {"draining": row.draining, "distrusted": row.distrusted}
    return {"state": row.state, "why": row.why}


def _machine(row: Machine) -> str:
    return "not trusted" if row.distrusted else "draining" if row.draining else "takes work"


def _work(row: Work) -> str:
    return f"{row.state}, {row.faults} runs lost"


MACHINE_ACTIONS = (
    Action(
        "drain", "Drain", "Drain",
        lambda row: f"{_machine(row)}. It ends what it has, and takes nothing new.",
        partial(_order, "worker drained", "It is draining already.", "it takes nothing new, within 5 s.",
                partial(orders.drain, on=True)),
        form=Unasked,
    ),
    Action(
        "take", "Take work again", "Take work again",
        lambda row: f"{_machine(row)}. It takes work again.",
        partial(_order, "worker takes work", "It is not draining.", "it takes work again, within 5 s.",
                partial(orders.drain, on=False)),
        form=Unasked,
    ),
    Action(
        "trust", "Trust again …", "Trust again",
        lambda row: f"{_machine(row)}: {row.distrusted or 'its answers are taken'}. Its answers are taken again.",
        partial(_order, "worker trusted", "It is trusted.", "its answers are taken again.", orders.trust),
        form=Reasoned,
    ),
)  # fmt: skip
WORK_ACTIONS = (
    Action(
        "again", "Run again", "Run again",
        lambda row: f"{_work(row)}. It waits once more, with all its tries.",
        partial(_order, "work again", "It has neither failed nor been cancelled.", "it waits.", orders.again),
        form=Unasked,
    ),
    Action(
        "cancel", "Cancel …", "Cancel",
        lambda row: f"{_work(row)}. It is not begun, or ends within seconds; a match is then for the organiser.",
        partial(_order, "work cancelled", "It is over.", "it is cancelled.", orders.cancel),
        form=Reasoned,
    ),
)  # fmt: skip
