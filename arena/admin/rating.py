from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record
from arena.models import Rating, RatingChange


@admin.register(Rating)
class RatingAdmin(Record):
    list_display = ("player", "variant", "points", "deviation", "matches")
    list_filter = ("variant",)
    list_select_related = ("player",)
    search_fields = ("player__name", "player__slug")
    ordering = ("variant", "-points")


@admin.register(RatingChange)
class RatingChangeAdmin(Record):
    list_display = ("match", "player", "before", "points", "at")
    list_filter = ("variant",)
    list_select_related = ("match", "player")
    search_fields = ("=match__id", "player__name")
    ordering = ("-order",)
