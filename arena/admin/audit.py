"""The record of what staff did, and the part of it that others who act on the same thing do not know yet."""

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
    """The acts on it, newest first."""
    return list(Audit.objects.filter(subject=subject).order_by("-pk")[:MOST_SHOWN])


def newest_act(subject: str) -> str:
    """What a page keeps of it, to be told of what comes after: the number of the last act, "0" before the first."""
    return newest_acts([subject])[subject]


def newest_acts(subjects: Iterable[str]) -> dict[str, str]:
    """The same of many, in one query."""
    told = dict.fromkeys(subjects, 0)
    numbers = Audit.objects.filter(subject__in=told).order_by().values_list("subject").annotate(Max("pk"))
    return {subject: str(number) for subject, number in {**told, **dict(numbers)}.items()}


def meanwhile(subject: str, seen: str, user: Any) -> str:
    """What others did to it since act number `seen`, in words; "" for nothing."""
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
