"""Rooms and their sides in the admin are read: what is live is changed on the page of the room."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.record import Record, RecordInline
from arena.models import Place, Room


class PlaceInline(RecordInline):
    model = Place
    ordering = ("side",)


@admin.register(Room)
class RoomAdmin(Record):
    list_display = ("shown_code", "variant", "clock", "rounds", "rated", "private", "owner", "last_used", "closed")
    list_filter = ("variant", "private", "rated", ("closed", admin.EmptyFieldListFilter))
    list_select_related = ("owner",)
    search_fields = ("code", "owner__username")
    ordering = ("-last_used",)
    inlines = (PlaceInline,)


@admin.register(Place)
class PlaceAdmin(Record):
    list_display = ("room", "side", "kind", "player", "level", "protocol", "port", "expires")
    list_filter = ("kind", "protocol")
    list_select_related = ("room", "player")
    search_fields = ("room__code", "player__name", "=port")
    ordering = ("-id",)
