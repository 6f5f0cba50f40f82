from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Rating, RatingChange


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
