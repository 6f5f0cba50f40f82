"""The chat of a match, for people with an account. Frames carry only the number of the newest line; a page that shows
the chat asks for the lines, and each reader gets those that they may and want to read.
"""

from __future__ import annotations

import math

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from arena.common.limits import Buckets, Rate
from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.web import notices
from arena.web.guests import Visitor, player_of
from arena.web.match import chat_lines
from arena.web.match.matches import live_of
from arena.web.views import is_by_htmx, view

# The limit of a person, in all their matches together.
_said = Buckets(Rate(5, 1 / 3))
_reported = Buckets(Rate(5, 1 / 60))


@view("GET", "POST", rows=True)
async def chat(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """The lines, for a page that shows them. Its form has `say` (a new line), or the number to `report` or `mute`."""
    live, visitor = await live_of(request, host, match)
    said = ""
    if request.method == "POST":
        assert host is not None, "forms are sent to the host"
        said = await _done(request, host, live, visitor)
    if not is_by_htmx(request):
        return HttpResponseRedirect(f"/m/{live.id}/?tab=chat")
    lines = render_to_string(
        "arena/fragments/chat_lines.html", {**await chat_lines.context(request, live, visitor), "oob": True}
    )
    return HttpResponse(lines + (notices.notice(said) if said else ""))


# -- what is done ------------------------------------------------------------------------------------------------------


async def _done(request: HttpRequest, host: Host, live: LiveMatch, visitor: Visitor) -> str:
    """Do what the form asks. Returns the words about it, "" if the lines show it themselves. Raises Refusal."""
    if chat_lines.is_off(request):
        in_settings = _("Talk is off in your settings. Nothing was said.")
        off = in_settings if settings.ARENA_TALK else _("Talk is off on this server. Nothing was said.")
        raise Refusal("not_allowed", off)
    if visitor.account is None:
        raise Refusal("not_yours", _("Log in to write here. Nothing was said."))
    player = await player_of(request)
    if "report" in request.POST:
        _take(_reported, player.pk)
        number = _number(request.POST["report"], "report")
        await sync_to_async(chat_lines.report)(live, player.pk, number, host.fence)
        return _("Reported. Staff will look at it.")
    if "mute" in request.POST:
        number = _number(request.POST["mute"], "mute")
        name = await sync_to_async(chat_lines.mute)(live, player.pk, number, host.fence)
        return _("You no longer see what {name} writes. You can undo this in your settings.").format(name=name)
    await _say(host, live, player.pk, player.name, request.POST.get("say", ""))
    return ""


async def _say(host: Host, live: LiveMatch, player: int, name: str, said: str) -> None:
    circle, text = chat_lines.circle_of(live, player), chat_lines.cleaned(said)
    if circle.why_not:
        raise Refusal("not_allowed", circle.why_not)
    _take(_said, player)
    number = await sync_to_async(chat_lines.add)(live, player, name, text, circle.among_players, host.fence)
    players, others = live.facts.chat
    live.facts.chat = (number, others) if circle.among_players else (players, number)
    host.hub.changed(live)


def _take(buckets: Buckets, player: int) -> None:
    if wait_s := buckets.take(f"player {player}"):
        raise Refusal(
            "too_many", _("Too much at once. Try again in {n} s. Nothing was done.").format(n=math.ceil(wait_s))
        )


def _number(said: str, name: str) -> int:
    number = whole_number(said)
    if number is None:
        words = _("Received {name} {what}, expected the number of a line. Nothing was done.")
        raise Refusal("invalid_form", words.format(name=name, what=repr(said[:20])))
    return number
