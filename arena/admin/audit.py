from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Audit

MOST_SHOWN = 20


def acts_on(subject: str) -> list[Audit]:
    """What was done to it, the newest first."""
    return list(Audit.objects.filter(subject=subject).order_by("-pk")[:MOST_SHOWN])


@admin.register(Audit)
class AuditAdmin(Record):
    list_display = ("at", "actor", "act", "subject", "says")
    parts = ("actor", "act", "subject")
    ordering = ("-id",)
