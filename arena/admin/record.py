"""A table that the admin shows and never writes."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest


class _NeverWritten:
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class Record(_NeverWritten, admin.ModelAdmin):
    """Rows are added by the arena itself; staff read them."""

    # Counting a log of millions a second time, only to say "of how many", costs more than it tells.
    show_full_result_count = False


class RecordInline(_NeverWritten, admin.TabularInline):
    extra = 0
    show_change_link = False
