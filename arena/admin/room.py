"""Rooms and their sides in the admin are read: what is live is changed on the page of the room."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.record import RawRecord, Record, RecordInline
from arena.models import Place, Room


class PlaceInline(RecordInline):
    model = Place
    ordering = ("side",)


@admin.register(Room)
class RoomAdmin(Record):
    private = "private"
    list_display = ("shown_code", "variant", "clock", "rounds", "rated", "private", "owner", "last_used", "closed")
    list_filter = ("variant", "private", "rated", ("closed", admin.EmptyFieldListFilter))
    list_select_related = ("owner",)
    finds = ("code", "owner__username")
    ordering = ("-id",)
    inlines = (PlaceInline,)


@admin.register(Place)
class PlaceAdmin(RawRecord):
    list_display = ("room", "side", "kind", "player", "level", "protocol", "port", "expires")
    list_filter = ("kind", "protocol")
    list_select_related = ("room", "player")
    finds = ("room__code", "port", "player__slug")
    parts = ("player__name",)
    ordering = ("-id",)
