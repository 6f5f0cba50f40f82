"""Challenges: made on a profile, answered with one press; arena/web/challenges.py shows them."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

import games
from arena.bots.seats.choices import SideChoice
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Player
from arena.rooms import challenging
from arena.web.challenges import CLOCKS
from arena.web.guests import player_of, visitor_of
from arena.web.joined import called
from arena.web.limits import Limit, address_of
from arena.web.people.accounts import local_next
from arena.web.room import rooms
from arena.web.room.form import sent
from arena.web.views import is_by_htmx, view

NEW = Limit("challenges", 10, 1 / 60)
ACTS = {"decline": challenging.decline, "withdraw": challenging.withdraw, "mute": challenging.mute}


@view("POST")
async def make(request: HttpRequest, host: Host, slug: str) -> HttpResponse:
    """Ask this person to play: a room in which a side is kept for them."""
    whom = await sync_to_async(called)(slug)
    if whom is None or whom.kind not in (Player.Kind.PERSON, Player.Kind.GUEST):
        raise Http404(_("There is no player with this name. It may have been changed."))
    fields = _fields(request, whom.kind == Player.Kind.PERSON and (await visitor_of(request)).account is not None)
    NEW.check(request)
    opener, by = await rooms.new_opener(request, host), await player_of(request)
    async with host.lobby.challenges.making:  # pressed twice it is one challenge, and a refusal
        await challenging.check(host.lobby, by, whom)
        sides = (SideChoice("me", player=whom.pk), SideChoice("me"))
        room = await host.room_maker.open_room({**fields, "owner_id": by.user_id}, sides, opener)
        await host.lobby.challenges.add(room, by, whom)
    return HttpResponseRedirect(f"/r/{room.plan.code}/")


@view("POST")
async def act(request: HttpRequest, host: Host, code: str, what: str) -> HttpResponse:
    """`accept`, `decline` or `mute` a challenge; `withdraw` one's own, or take `note` of the answer to it."""
    player, challenges = (await visitor_of(request)).player, host.lobby.challenges
    if what == "accept":
        challenge = challenges.of(code, player)
        return await rooms.seated(request, host, await challenging.room_of(host.lobby, challenge, address_of(request)))
    if what == "note":
        challenges.take_note(code, player)
    elif what in ACTS:
        await ACTS[what](host.lobby, challenges.of(code, player, by=what == "withdraw"))
    else:
        raise Http404
    return HttpResponse(status=204) if is_by_htmx(request) else HttpResponseRedirect(local_next(request))


def _fields(request: HttpRequest, accounts: bool) -> dict[str, Any]:
    """The columns of the room that were chosen. Raises Refusal."""
    chosen = sent(request, {"variant": games.slugs(), "clock": CLOCKS})
    rated = "rated" in request.POST
    if rated and not accounts:
        raise Refusal("invalid_form", _("Both of you need an account to play rated matches."))
    return {**chosen, "rounds": 1, "rated": rated, "offers": not rated}
