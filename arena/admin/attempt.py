"""Wrong passwords, counted by name and address: staff see who is locked out; removing the row lets them in again."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt
from django.contrib import admin
from django.http import HttpRequest

from arena.admin.record import Record


@admin.register(AccessAttempt)
class AttemptAdmin(Record):
    list_display = ("attempt_time", "username", "ip_address", "failures_since_start")
    fields = ("attempt_time", "username", "ip_address", "user_agent", "path_info", "failures_since_start")
    finds = ("username", "ip_address")
    ordering = ("-id",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)
