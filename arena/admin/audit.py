"""The record of what staff did, and the part of it that others who act on the same thing do not know yet."""

from __future__ import annotations

from typing import Any

from django.contrib import admin

from arena.admin.record import Record
from arena.common.numbers import whole_number
from arena.models import Audit
from arena.web.match.staff import actor_of

MOST_SHOWN = 20


def acts_on(subject: str) -> list[Audit]:
    """The acts on it, newest first."""
    return list(Audit.objects.filter(subject=subject).order_by("-pk")[:MOST_SHOWN])


def newest_act(subject: str) -> str:
    """The number of the last act, "0" before the first: a page keeps it to learn of later acts."""
    return str(Audit.objects.filter(subject=subject).order_by("-pk").values_list("pk", flat=True).first() or 0)


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
