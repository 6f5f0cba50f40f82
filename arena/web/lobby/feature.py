"""`/m/<id>/feature/`: staff choose the match of the large card on the home page. It stays there until it is over."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Audit
from arena.web.guests import visitor_of
from arena.web.lobby import showcase
from arena.web.match import staff
from arena.web.match.matches import live_of
from arena.web.views import view


@view("POST")
async def feature(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """With `off` the server chooses again. Raises Refusal for a private match."""
    user = await request.auser() if (await visitor_of(request)).account is not None else None
    if user is None or not await sync_to_async(staff.may_act)(user):
        raise Refusal("not_yours", "Only staff choose what the home page shows. Nothing was done.")
    live, visitor = await live_of(request, host, match)
    off = "off" in request.POST
    if not off and live not in showcase.public(host):
        raise Refusal("invalid_form", "The home page shows public matches that are being played. Nothing was done.")
    host.hub.featured = None if off else live
    act = "no longer featured" if off else "featured"
    await Audit.objects.acreate(actor=staff.actor_of(user), act=act, subject=live.id)
    said = _("The home page chooses the match again.") if off else _("The home page shows this match.")
    messages.success(request, said)
    return HttpResponseRedirect(f"/m/{live.id}/")
