"""`/watch/`: all matches in progress, as a wall of small boards, and the same for a projector."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

import games
from arena.host import Host
from arena.web.lobby import feed
from arena.web.views import page, view
from arena.web.words import game_title


@view("GET", rows=True)
async def watch(request: HttpRequest, host: Host | None) -> HttpResponse:
    """`?game=` shows one game only."""
    game = request.GET.get("game", "")
    known = games.games()
    if game and game not in (each.slug for each in known):
        said = _("There is no game {name}. There are: {known}.")
        raise Http404(said.format(name=repr(game[:40]), known=", ".join(each.slug for each in known)))
    context = {
        "game": game,
        "games": [{"slug": each.slug, "title": game_title(each.title), "current": each.slug == game} for each in known],
        **await feed.wall(host, game),
    }
    return await page(request, "arena/watch.html", context)


@view("GET", rows=True)
async def projector(request: HttpRequest, host: Host | None) -> HttpResponse:
    """`/watch/projector/`: without chrome, four boards at a time, in large type."""
    context = {"address": "/watch/", "socket": "/ws/lobby/?watch=", "game": "", **await feed.wall(host, "")}
    return await page(request, "arena/projector.html", context)
