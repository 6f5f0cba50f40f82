"""Orders by superusers about work and workers. They are rows, which desk, lender and workers obey within seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest

from arena.admin.acting import Action, Reasoned, Unasked
from arena.match.commands import Refusal
from arena.models import Machine, Work
from arena.web.match import staff
from arena.work.rows import OPEN
from arena.work.workers import orders


def _order(
    name: str,
    button: str,
    told: str,
    what: str,
    came: str,
    may: Callable[[Any], bool],
    not_now: str,
    of: Callable[[Any], int],
    form: type[Unasked] = Unasked,
) -> Action:
    """`told` is its name in the audit, `what` says what will change, `came` the outcome. `may(row)`: whether there is
    anything to do, `not_now` why there is not; `of(rows)` does it and returns how many changed.
    """

    def do(request: HttpRequest, row: Any, said: dict[str, Any], stood: str) -> str:
        before = _stands(row)
        if not of(type(row).objects.filter(pk=row.pk)):
            raise Refusal("nothing", f"{not_now} Nothing was done.")
        row.refresh_from_db()
        staff.record(request.user, told, row, reason=said["reason"], before=before, after=_stands(row))
        return came

    says, why_not = (lambda row: f"{_words(row)}. {what}"), (lambda user, row: "" if may(row) else not_now)
    return Action(name, button, button, says, do, form, why_not=why_not)


def _stands(row: Machine | Work) -> dict[str, Any]:
    if isinstance(row, Machine):
        return {"draining": row.draining, "distrusted": row.distrusted}
    return {"state": row.state, "why": row.why}


def _words(row: Machine | Work) -> str:
    if isinstance(row, Machine):
        return f"not trusted ({row.distrusted})" if row.distrusted else "draining" if row.draining else "takes work"
    return f"{row.state}, {row.faults} runs lost"


MACHINE_ACTIONS = (
    _order(
        *("drain", "Drain", "worker drained", "It finishes what it has and takes nothing new."),
        *("it takes nothing new, within 5 s.", lambda row: not row.draining, "It is already draining."),
        partial(orders.drain, on=True),
    ),
    _order(
        *("take", "Take work again", "worker takes work", "It takes work again."),
        *("it takes work again, within 5 s.", lambda row: row.draining, "It is not draining."),
        partial(orders.drain, on=False),
    ),
    _order(
        *("trust", "Trust again", "worker trusted", "Its answers are accepted again."),
        *("its answers are accepted again.", lambda row: bool(row.distrusted), "It is already trusted."),
        *(orders.trust, Reasoned),
    ),
)
WORK_ACTIONS = (
    _order(
        *("again", "Run again", "work again", "It waits again, with all its attempts."),
        *("it waits.", orders.may_wait_again),
        "It has neither failed nor been cancelled, or it is a match of an event: only its organiser can re-run it.",
        orders.again,
    ),
    _order(
        *("cancel", "Cancel", "work cancelled"),
        "It ends within seconds, or never begins. If it is a match, its organiser decides what follows.",
        *("it is cancelled.", lambda row: row.state in OPEN, "It is over."),
        *(orders.cancel, Reasoned),
    ),
)
