from __future__ import annotations

from django.contrib import admin

from arena.admin.record import RawRecord
from arena.models import Drain, Handed, Lease, Minute


@admin.register(Lease)
class LeaseAdmin(RawRecord):
    list_display = ("name", "holder", "epoch", "expires")


@admin.register(Drain)
class DrainAdmin(RawRecord):
    list_display = ("at", "actor")


@admin.register(Handed)
class HandedAdmin(RawRecord):
    list_display = ("match", "at", "answer")
    exclude = ("log",)


@admin.register(Minute)
class MinuteAdmin(RawRecord):
    """The source of the graphs on the first page, and the errors of a minute in full."""

    list_display = ("at", "matches", "moves", "commits", "commit_median_us", "commit_p99_us", "errors")
    fields = (
        *("at", "matches", "rooms", "bots", "viewers", "moves", "think_median_ms", "think_p99_ms"),
        *("commits", "commit_median_us", "commit_p99_us", "errors", "said"),
    )
    ordering = ("-at",)

    @admin.display(description="log lines")
    def said(self, minute: Minute) -> str:
        """One error a line, as in the server's log."""
        return "\n".join(f"{line['at'][:23]} {line['logger']}: {line['message']}" for line in minute.lines) or "none"
