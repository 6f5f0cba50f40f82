"""`/m/<id>/decide/`: staff decide how a match counts, with a reason that everyone reads.

The same form is a page of its own and the inside of the match page's dialog.
"""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Match
from arena.web.guests import account_of
from arena.web.match import staff
from arena.web.match.matches import live_of
from arena.web.people.ratings import changes_of
from arena.web.privacy import keep_private
from arena.web.views import STATUS, page, view
from arena.web.words import COLOURS, title
from games import variant


@view("GET", "POST")
async def decide(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """The form or, after a decision, the match page, which shows the reason."""
    user = await account_of(request)
    if not await sync_to_async(staff.may_act)(user):
        raise Refusal("not_yours", "Only staff decide matches. Nothing was done.")
    live, _ = await live_of(request, host, match)
    keep_private(request)
    if request.method != "POST":
        return await _form(request, live)
    return await _decided(request, host, live, user)


async def _decided(request: HttpRequest, host: Host, live: LiveMatch, user: Any) -> HttpResponse:
    choice, reason, stood = (request.POST.get(name, "") for name in ("choice", "reason", "stood"))
    before = await staff.snapshot(live)
    try:
        await staff.decide(host, live, choice, reason, staff.actor_of(user), stood)
    except Refusal as refusal:
        status = 422 if refusal.code == "reason_required" else STATUS.get(refusal.code, 409)
        return await _form(request, live, refusal.sentence, reason, status)
    row = await Match.objects.aget(pk=live.id)
    after = await staff.snapshot(live)
    said = {"reason": staff.reason_of(reason), "before": before, "after": after}
    await sync_to_async(staff.record)(user, "decide", row, **said)
    return HttpResponseRedirect(f"/m/{live.id}/")


async def _form(
    request: HttpRequest, live: LiveMatch, wrong: str = "", reason: str = "", status: int = 200
) -> HttpResponse:
    setup = live.state.setup
    context = {
        "match": live.id,
        "title": title(variant(setup.variant)),
        "seats": list(zip(("0", "1"), COLOURS, (seat.name for seat in setup.seats), strict=True)),
        "says": staff.says(live),
        "stood": staff.stands(live),
        "over": live.over,
        "ratings": staff.consequences(live, await changes_of(live.id) if live.over else {}),
        "wrong": wrong,
        "reason": reason,
        "longest": staff.LONGEST_REASON,
    }
    return await page(request, "arena/decide.html", context, status)
