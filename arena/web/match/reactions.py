"""Reactions: one of a few words from a player to everybody at the board. A reaction is a signal: shown for a moment and
not stored.

Players choose it rather than write it, so it cannot insult anybody, and each seat may send one only now and then. The
site switches them off with ARENA_TALK=0, each person in their settings.
"""

from __future__ import annotations

import asyncio
import time

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.web.match.acts import seat_of
from arena.web.match.matches import answer, live_of
from arena.web.match.reaction_words import REACTIONS, SHOWN_S, Reaction, said
from arena.web.views import view

EVERY_S = 3.0


@view("POST")
async def react(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    return await answer(request, host, live, _say(host, live, seat, request.POST.get("say", "")))


async def _say(host: Host, live: LiveMatch, seat: int, code: str) -> None:
    if not settings.ARENA_TALK:
        raise Refusal("not_allowed", _("Reactions are off on this server."))
    if code not in REACTIONS:
        raise Refusal(
            "invalid_form",
            _("Received {what}, expected {known}. Nothing was said.").format(
                what=repr(code[:20]), known=", ".join(REACTIONS)
            ),
        )
    key, now = (live.id, seat), time.monotonic()
    if (before := said.get(key)) is not None and now - before.at < EVERY_S:
        raise Refusal("too_many", _("One reaction every {n} s. Nothing was said.").format(n=f"{EVERY_S:g}"))
    said[key] = Reaction(code, now)
    host.hub.changed(live)
    asyncio.get_running_loop().call_later(SHOWN_S, _forget, host, live, seat, now)


def _forget(host: Host, live: LiveMatch, seat: int, at: float) -> None:
    """Forget it, unless there is a newer one."""
    if (reaction := said.get((live.id, seat))) is not None and reaction.at == at:
        del said[live.id, seat]
        host.hub.changed(live)
