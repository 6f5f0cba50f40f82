from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Audit


@admin.register(Audit)
class AuditAdmin(Record):
    list_display = ("at", "actor", "act", "subject", "says")
    parts = ("actor", "act", "subject")
    ordering = ("-id",)
