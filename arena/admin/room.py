"""Rooms and their sides in the admin: who is kept where, what was played, and a room is closed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from arena.admin import known
from arena.admin.acting import Acting
from arena.admin.record import RawRecord, Record, RecordInline
from arena.admin.room_actions import ROOM_ACTIONS
from arena.models import Match, Place, Room
from arena.web.match.staff import may_act

MOST_MATCHES = 12


class PlaceInline(RecordInline):
    model = Place
    ordering = ("side",)


@admin.register(Room)
class RoomAdmin(Record, Acting):
    private = "private"
    list_display = ("shown_code", "variant", "clock", "rounds", "rated", "private", "owner", "last_used", "closed")
    list_filter = ("variant", "private", "rated", ("closed", admin.EmptyFieldListFilter))
    list_select_related = ("owner",)
    finds = ("code", "owner__username")
    ordering = ("-id",)
    inlines = (PlaceInline,)
    change_form_template = "admin/with_acts.html"
    own_actions = ROOM_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return may_act(request.user)

    def subject_of(self, row: Room) -> str:
        return str(row)

    def shown_with(self, request: HttpRequest, obj: Room) -> dict[str, Any]:
        """Its matches, newest first, and what can be done to it."""
        newest = list(obj.matches.order_by("-pk").values_list("pk", flat=True)[:MOST_MATCHES])
        return {
            **self.acts_on_page(request, obj),
            "left": known.newest(Match.objects.filter(pk__in=newest)),
            "panels": [known.done(str(obj))],
        }


@admin.register(Place)
class PlaceAdmin(RawRecord):
    list_display = ("room", "side", "kind", "player", "level", "protocol", "port", "expires")
    list_filter = ("kind", "protocol")
    list_select_related = ("room", "player")
    finds = ("room__code", "port", "player__slug")
    parts = ("player__name",)
    ordering = ("-id",)
