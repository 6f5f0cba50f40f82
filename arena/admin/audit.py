"""The record of what staff did, and the part of it that others who act on the same subject do not know yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Max

from arena.admin.record import Record
from arena.common.numbers import whole_number
from arena.models import Audit
from arena.web.match.staff import actor_of

MOST_SHOWN = 20


def acts_on(subject: str) -> list[Audit]:
    """The actions on it, newest first."""
    return list(Audit.objects.filter(subject=subject).order_by("-pk")[:MOST_SHOWN])


def newest_act(subject: str) -> str:
    """The number of the last action, "0" before the first. A page keeps it, to be told of later ones."""
    return newest_acts([subject])[subject]


def newest_acts(subjects: Iterable[str]) -> dict[str, str]:
    """The same for many, in one query."""
    told = dict.fromkeys(subjects, 0)
    numbers = Audit.objects.filter(subject__in=told).order_by().values_list("subject").annotate(Max("pk"))
    return {subject: str(number) for subject, number in {**told, **dict(numbers)}.items()}


def meanwhile(subject: str, seen: str, user: Any) -> str:
    """What others have done to it since action number `seen`, in words; "" for nothing."""
    since = whole_number(seen) or 0
    others = [act for act in acts_on(subject) if act.pk > since and act.actor != actor_of(user)]
    return "; ".join(f"{act.actor} at {act.at:%H:%M:%S}: {_done(act)}" for act in others[:3])


def _done(act: Audit) -> str:
    reason = act.data.get("reason")
    return act.deed() + (f" (“{reason}”)" if reason else "")


@admin.register(Audit)
class AuditAdmin(Record):
    list_display = ("at", "actor", "act", "subject", "says")
    parts = ("actor", "act", "subject")
    ordering = ("-id",)
