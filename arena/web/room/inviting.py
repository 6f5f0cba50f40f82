"""Inviting: a room and its link with one click, new settings while nobody has accepted, pictures for previews.

Everyone who has the link is invited: the room is in no list. Looking at it seats nobody.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

import games
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Room
from arena.web.drawing import card
from arena.web.limits import Limit
from arena.web.match.matches import live_of
from arena.web.room import form as room_form
from arena.web.room import rooms
from arena.web.views import view

PICTURES = Limit("pictures of boards", 60, 2)


@view("POST")
async def friend(request: HttpRequest, host: Host) -> HttpResponse:
    """A room for a friend at once, with the defaults: no clock, one round, the friend moves first."""
    slug = request.POST.get("variant", "")
    if slug not in games.slugs():
        known = ", ".join(games.slugs())
        words = _("Received the game {what}, expected {known}.")
        raise Refusal("invalid_form", words.format(what=repr(slug[:40]), known=known))
    fields = {"variant": slug, "clock": "none", "rounds": 1, "private": True, "offers": True}
    return await rooms.opened(request, host, fields, ("anyone", "me"))


@view("POST")
async def settings(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """Change the settings of an invitation that nobody has accepted yet. The link stays the same."""
    room = await rooms.own_room(request, host, code)
    if room.begun or room.playing or room.sides.free is None:
        raise Refusal("too_late", "Somebody has sat down: these settings stay as they are.")
    fields = _fields(request)
    if room.plan.adjudicate and (why := room_form.why_played_out(fields["variant"])):
        words = _("{why}. Open another room, without proofs, for it.")
        raise Refusal("never_proved", words.format(why=why))
    if any(place is not None and place.kind not in ("me", "anyone") for place in room.plan.places):
        raise Refusal("place_kept", "A seat is kept for a bot: open another room for other settings.")
    before = room.plan
    room.plan = replace(before, **fields, settings={}, opening="")  # whoever sits down meanwhile plays by it
    try:
        await Room.objects.filter(code=before.code.upper()).aupdate(**fields, settings={}, opening="")
    except BaseException:
        if not (room.begun or room.playing):
            room.plan = before
        raise
    room.followers.tell()
    return HttpResponseRedirect(f"/r/{room.plan.code}/")


def _fields(request: HttpRequest) -> dict[str, Any]:
    """The columns that were chosen. Raises Refusal."""
    known = {"variant": games.slugs(), "rounds": room_form.ROUNDS}
    chosen = room_form.sent(request, known)
    clock = request.POST.get("clock", "")
    if why := room_form.why_no_such_clock(clock):
        raise Refusal("invalid_form", why)
    return {**chosen, "rounds": int(chosen["rounds"]), "clock": clock}


@view("GET", hosted=False)
async def picture(request: HttpRequest, code: str) -> HttpResponse:
    """The first position, for the preview of the link: made once for all rooms of the same game."""
    PICTURES.check(request)
    row = await rooms.row_of(code)
    return _png(card.png(games.variant(row.variant).start(**row.settings)))


@view("GET", rows=True)
async def picture_of_match(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """The position of a match, for the preview of its link; of a private match only for visitors who may see it."""
    PICTURES.check(request)
    live, _ = await live_of(request, host, match)
    return _png(card.png(live.state.position), 3600 if live.over else 10)


def _png(content: bytes, seconds: int = 3600) -> HttpResponse:
    """A picture that a browser or a messenger may keep for this long."""
    return HttpResponse(content, content_type="image/png", headers={"Cache-Control": f"private, max-age={seconds}"})
