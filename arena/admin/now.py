"""The box "now" on the first page of the admin: what is going on in this arena at this moment."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import template
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from arena.bots.session import tokens
from arena.common.logs import recent_errors
from arena.core.storage_watch import trouble
from arena.host import Host, NoHost, here
from arena.models import Place

register = template.Library()


class Count(NamedTuple):
    """`of` is how many there can be, None where nothing bounds it."""

    words: str
    number: int
    of: int | None = None
    address: str = ""


@register.inclusion_tag("admin/now.html")
def now_box() -> dict[str, Any]:
    """What the box shows; `counts` is empty in a process that serves no matches."""
    try:
        return {"counts": counts(here()), "storage": trouble()}
    except NoHost:
        return {"counts": []}


def counts(host: Host) -> list[Count]:
    """One query, for the ports; all else is in memory."""
    matches = "/admin/arena/match/"
    return [
        Count("live matches", len(host.hub.running()), None, f"{matches}?state=running"),
        Count("rooms waiting", len(host.lobby.open_rooms()), None, "/admin/arena/room/"),
        Count("bots connected", bots_connected(host), None, "/admin/arena/bot/"),
        Count("seat ports in use", ports_in_use(), len(settings.ARENA_SEAT_PORTS), "/admin/arena/place/"),
        Count("errors in the last hour", recent_errors.count()),
    ]


def bots_connected(host: Host) -> int:
    """Registered bots that are here, and those without a name of their own that sit in a room."""
    seated = {
        id(occupant)
        for room in host.lobby.rooms.values()
        for occupant in room.sides
        if occupant is not None and occupant.setup.kind == "bot" and not occupant.away
        if occupant.setup.player not in tokens.players()
    }
    return len(tokens.players()) + len(seated)


def ports_in_use() -> int:
    """Ports of the pool that a waiting side was promised, or a bot that came there still has."""
    alive = Q(expires=None) | Q(expires__gt=timezone.now())
    return Place.objects.filter(alive, port__in=list(settings.ARENA_SEAT_PORTS)).count()
