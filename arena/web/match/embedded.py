"""`/m/<id>/embed/`: a match in a frame of any other site, for everybody as a watcher: nothing on it changes anything,
so the surrounding page cannot trick anybody into a move. It sets no cookie.
"""

from __future__ import annotations

from csp.constants import NONE
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from arena.host import Host
from arena.web.match import fragments, frames
from arena.web.match.matches import NO_MATCH, live_of, ply_of
from arena.web.views import view

# Any page may frame this one, and none of its forms can be sent.
POLICY = {"frame-ancestors": ["*"], "form-action": [NONE]}


@view("GET", rows=True)
async def embedded(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """`?ply=` as on the page of the match. Raises Http404 for a private match, for every reader."""
    live, _ = await live_of(request, host, match)
    if live.private:
        raise Http404(NO_MATCH)
    scene = frames.scene(host, live, "", ply=ply_of(request))
    context = {
        "scene": scene,
        "page": fragments.page(scene),
        "back": max(0, scene.ply - 1),
        "forward": min(scene.plies, scene.ply + 1),
    }
    response = render(request, "arena/embed.html", context)
    response.xframe_options_exempt = True  # read by XFrameOptionsMiddleware
    response._csp_replace = POLICY  # type: ignore[attr-defined]  # read by the middleware of django-csp
    return response
