"""Challenges: made on a profile, shown on whatever page the other has open, answered with one press."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

import games
from arena.bots.seats.choices import SideChoice
from arena.host import Host
from arena.match.clock import parse_clock
from arena.match.commands import Refusal
from arena.models import Player
from arena.rooms import challenging
from arena.rooms.challenges import Answer, Challenge
from arena.web.elsewhere import of_the_host
from arena.web.guests import player_of, visitor_of
from arena.web.limits import Limit, address_of
from arena.web.people.accounts import local_next
from arena.web.room import rooms
from arena.web.room.invitation import CLOCKS
from arena.web.views import is_by_htmx, view
from arena.web.words import clock_words, title_of

# Two who do not know each other like to know when it will be over.
USUAL_CLOCK = "5m"
NEW = Limit("challenges", 10, 1 / 60)
ACTS = {"decline": challenging.decline, "withdraw": challenging.withdraw, "mute": challenging.mute}


@view("POST")
async def make(request: HttpRequest, host: Host, slug: str) -> HttpResponse:
    """Ask this person to play: a room in which a side is kept for them."""
    whom = await Player.objects.filter(slug=slug, kind__in=(Player.Kind.PERSON, Player.Kind.GUEST)).afirst()
    if whom is None:
        raise Http404(_("There is no player of this name. It may have been changed."))
    fields = _fields(request, whom.kind == Player.Kind.PERSON and (await visitor_of(request)).account is not None)
    NEW.check(request)
    opener, by = await rooms.opener_of(request), await player_of(request)
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
    known = {"variant": [each.slug for each in games.variants()], "clock": list(CLOCKS)}
    for name, allowed in known.items():
        if (sent := request.POST.get(name, "")) not in allowed:
            words = _("Received {name} {what}, expected {known}.")
            raise Refusal("invalid_form", words.format(name=name, what=repr(sent[:40]), known=", ".join(allowed)))
    rated = "rated" in request.POST
    if rated and not accounts:
        raise Refusal("invalid_form", _("Both of you need an account to play rated matches."))
    chosen = {name: request.POST[name] for name in known}
    return {**chosen, "rounds": 1, "rated": rated, "offers": not rated}


# -- what is shown ----------------------------------------------------------------------------------------------------


@of_the_host
async def waiting(host: Host, player: int) -> dict[str, Any]:
    """What concerns this player, for a page that is made: as `shown`."""
    return shown(host, player)


@of_the_host
async def is_here(host: Host, player: int) -> bool:
    return host.lobby.challenges.is_here(player)


def shown(host: Host, player: int) -> dict[str, Any]:
    """`received` and `sent` challenges and the `answers` to those, in the language spoken now."""
    challenges = host.lobby.challenges
    return {
        "received": [_card(each) for each in challenges.received(player)],
        "sent": [_card(each) for each in challenges.sent(player)],
        "answers": [_answer(each) for each in challenges.answers(player)],
    }


def drawn(host: Host, player: int) -> SafeString:
    """The same for a page that is open."""
    return render_to_string("arena/fragments/challenges.html", {"asked": shown(host, player)})


def _card(challenge: Challenge) -> dict[str, Any]:
    clock = clock_words(parse_clock(challenge.clock)) or _("no clock")
    counts = _("rated") if challenge.rated else _("friendly")
    return {
        "code": challenge.code,
        "by": challenge.by_name,
        "whom": challenge.whom_name,
        "line": " · ".join((title_of(challenge.variant), clock, counts)),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    said = {
        "accepted": _("{name} is there and waits for you."),
        "declined": _("{name} has declined."),
        "expired": _("{name} has not answered."),
    }[answer.said]
    words = said.format(name=answer.challenge.whom_name)
    return {**_card(answer.challenge), "words": words, "waits": answer.said == "accepted"}
