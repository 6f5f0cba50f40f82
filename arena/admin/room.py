"""Rooms and their sides in the admin: for whom sides are kept, what was played, and closing a room."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from arena.admin import known
from arena.admin.acting import Acting, Action, in_host
from arena.admin.record import RawRecord, Record
from arena.admin.searching import OpenOrOver
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Match, Place, Room
from arena.models.audit import CLOSED_BY_STAFF, in_words
from arena.rooms import closing, room_rows
from arena.web import words
from arena.web.match import staff

MOST_MATCHES = 12


def _close(request: HttpRequest, room: Room, said: dict[str, Any], stood: str) -> str:
    record = sync_to_async(partial(staff.record, request.user, CLOSED_BY_STAFF, room, reason=said["reason"]))

    async def closed(host: Host) -> None:
        live = host.lobby.rooms.get(room.code)
        if live is not None and live.playing:
            raise Refusal("playing", "A match runs in it: decide or abort that first. Nothing was done.")
        if live is not None:
            await closing.close(host.lobby, live, record)
        else:
            await record()
            await room_rows.close(room.pk, host.fence)

    in_host(closed)
    return "it is closed."


class ClosedFilter(OpenOrOver):
    over = "closed"


@admin.register(Room)
class RoomAdmin(Record, Acting):
    private = "private"
    list_display = ("shown_code", "variant", "clock", "rounds", "rated", "private", "owner", "last_used", "closed")
    list_filter = (ClosedFilter, "variant", "private", "rated")
    list_select_related = ("owner",)
    finds = ("code", "owner__username")
    ordering = ("-id",)
    told_in_words = True
    own_actions = (
        Action(
            *("close", "Close the room", "Close the room"),
            lambda room: (
                "Everybody who waits in it is told, with your reason, and its link no longer works. Its matches stay."
            ),
            _close,
            why_not=lambda user, room: "It is already closed." if room.closed is not None else "",
        ),
    )

    def may_act(self, request: HttpRequest) -> bool:
        return staff.may_act(request.user)

    def subject_of(self, row: Room) -> str:
        return row.recorded_as()

    def shown_with(self, request: HttpRequest, obj: Room) -> dict[str, Any]:
        """Its matches, newest first, the current players, and what can be done to it."""
        newest = list(obj.matches.order_by("-pk").values_list("pk", flat=True)[:MOST_MATCHES])
        places = obj.places.select_related("player").order_by("side")
        return {
            **self.acts_on_page(request, obj),
            "left": known.newest(Match.objects.filter(pk__in=newest)),
            "panels": [
                known.KnownPanel("Settings", list(_rules(obj))),
                known.KnownPanel("Sides", [_side(place) for place in places]),
                known.KnownPanel("Owner", list(_whose(obj))),
                known.done(self.subject_of(obj)),
            ],
        }


def _rules(room: Room) -> Iterator[known.KnownLine]:
    yield known.KnownLine("Game", words.title_of(room.variant), facts=in_words(room.settings) if room.settings else "")
    speed = words.pace_words(room.pace_ms)
    yield known.KnownLine("Clock", words.clock_title(room.clock), facts=speed)
    played = room.matches.exclude(ended=None).values("series").distinct().count()
    yield known.KnownLine("Series", words.rounds_words(room.rounds), facts=f"{played} played" if played else "")
    offers = "offers of draws and takebacks" if room.offers else "no offers"
    rated = "rated" if room.rated else "friendly"
    yield known.KnownLine("Counts", rated, facts=", ".join(filter(None, (offers, words.held_words(room.adjudicate)))))
    if room.opening:
        yield known.KnownLine("Begins", room.opening)


def _side(place: Place) -> known.KnownLine:
    """For whom a side is kept, their protocol, and for how long."""
    facts = [
        place.get_protocol_display() if place.protocol else "",
        f"port {place.port}" if place.port else "",
        f"until {place.expires:{known.WHEN}}" if place.expires else "",
    ]
    kind = words.level_name(place.level) if place.level else place.get_kind_display()
    lead = f"Side {place.side + 1}"
    if place.player is None:
        return known.KnownLine(lead, kind, facts=", ".join(filter(None, facts)))
    page, kind = known.page_of("player", place.player.pk), "" if place.kind == Place.Kind.ME else kind
    return known.KnownLine(lead, str(place.player), page, kind, facts=", ".join(filter(None, facts)))


def _whose(room: Room) -> Iterator[known.KnownLine]:
    if room.owner is not None:
        yield known.KnownLine("Account", str(room.owner), reverse("admin:auth_user_change", args=[room.owner.pk]))
    if room.opener is not None:
        yield known.KnownLine("Opened", f"by {room.opener}", known.page_of("player", room.opener.pk))
    seen = "private, only with its link" if room.private else "public"
    yield known.KnownLine("Seen", seen, facts=f"last used {room.last_used:{known.WHEN}}")
    state = f"closed {room.closed:{known.WHEN}}" if room.closed else "open"
    yield known.KnownLine("State", state, facts=room.title and f"bots call it {room.title}")


@admin.register(Place)
class PlaceAdmin(RawRecord):
    list_display = ("room", "side", "kind", "player", "level", "protocol", "port", "expires")
    list_filter = ("kind", "protocol")
    list_select_related = ("room", "player")
    finds = ("room__code", "port", "player__slug")
    parts = ("player__name",)
    ordering = ("-id",)
