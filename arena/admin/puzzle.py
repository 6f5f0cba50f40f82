from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Mistake, Puzzle, PuzzleStanding, PuzzleTry


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
