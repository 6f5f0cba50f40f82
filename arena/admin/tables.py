"""Tables that are only looked at: points, puzzles, who is locked out, and what the server knows about itself."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt
from django.contrib import admin
from django.http import HttpRequest

from arena.admin.record import RawRecord, Record
from arena.models import Drain, Handed, Lease, Minute, Mistake, Puzzle, PuzzleStanding, PuzzleTry, Rating, RatingChange


@admin.register(Rating)
class RatingAdmin(Record):
    list_display = ("player", "variant", "points", "deviation", "matches")
    list_filter = ("variant",)
    list_select_related = ("player",)
    finds = ("player__slug",)
    parts = ("player__name",)
    ordering = ("-id",)


@admin.register(RatingChange)
class RatingChangeAdmin(Record):
    private = "match__room__private"
    list_display = ("match", "player", "before", "points", "at")
    list_filter = ("variant",)
    list_select_related = ("match", "player")
    finds = ("match", "player__slug")
    parts = ("player__name",)
    ordering = ("-id",)


@admin.register(Puzzle)
class PuzzleAdmin(Record):
    list_display = ("id", "variant", "match", "ply", "points", "deviation", "matches", "made")
    list_filter = ("variant",)
    list_select_related = ("match",)
    finds = ("match",)
    search_help_text = "Number of a match"
    ordering = ("-pk",)


@admin.register(PuzzleStanding)
class PuzzleStandingAdmin(Record):
    list_display = ("player", "points", "deviation", "matches", "won", "streak", "best", "solved_day")
    list_select_related = ("player",)
    finds = ("player__slug",)
    search_help_text = "Name of a player as in addresses"
    ordering = ("-pk",)


@admin.register(PuzzleTry)
class PuzzleTryAdmin(Record):
    list_display = ("player", "puzzle", "hinted", "solved", "before", "after", "day", "at")
    list_select_related = ("player", "puzzle")
    finds = ("player__slug",)
    search_help_text = "Name of a player as in addresses"
    ordering = ("-pk",)


@admin.register(Mistake)
class MistakeAdmin(Record):
    private = "match__room__private"
    list_display = ("player", "match", "ply", "step", "due")
    list_select_related = ("player", "match")
    finds = ("match", "player__slug")
    search_help_text = "Number of a match, or name of a player as in addresses"
    ordering = ("-pk",)


@admin.register(AccessAttempt)
class AttemptAdmin(Record):
    """Wrong passwords, counted by name and address: removing the row lets somebody in again."""

    list_display = ("attempt_time", "username", "ip_address", "failures_since_start")
    fields = ("attempt_time", "username", "ip_address", "user_agent", "path_info", "failures_since_start")
    finds = ("username", "ip_address")
    ordering = ("-id",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


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
