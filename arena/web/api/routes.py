"""The addresses below `/api/v1/`, and the document that describes them. `/api/` is an older name for the same ones."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from arena.web.api import acts, api, bulk, players, streams
from arena.web.api.answers import api as api_view

# The version of the description, which OpenAPI requires. Additions raise the second number; the first is that of the
# address.
VERSION = "1.5.0"


class Anything(StringConverter):
    """Any text: Django's `path` stops at a line feed, and the rest would be answered with a page."""

    regex = "(?s:.+)"


register_converter(Anything, "anything")


@api_view()
async def described(request: HttpRequest) -> HttpResponse:
    # pydantic, which reads the types, is loaded only on request.
    from arena.web.api.openapi import document

    return JsonResponse(document(ROUTES, VERSION), json_dumps_params={"ensure_ascii": False})


ROUTES: list[URLPattern] = [
    path("", api.index),
    path("openapi.json", described),
    path("matches/", api.matches),
    path("matches/<slug:match>/", api.match),
    path("bulk/matches/", bulk.matches),
    path("bots/", api.bots),
    path("bots/<str:slug>/", api.bot),
    path("players/", players.players),
    path("players/<str:slug>/", players.player),
    path("players/<str:slug>/history/", players.history),
    path("leaderboards/", players.leaderboards),
    path("leaderboards/<slug:variant>/", players.leaderboard),
    path("tournaments/", api.tournament_list),
    path("tournaments/<str:slug>/", api.tournament),
    path("rooms/", acts.open_room),
    path("rooms/<str:code>/", acts.room),
    path("tournaments/<str:slug>/enter/", acts.enter),
    path("tournaments/<str:slug>/withdraw/", acts.withdraw),
    path("tournaments/<str:slug>/award/", acts.award),
    path("tournaments/<str:slug>/again/", acts.again),
    path("tournaments/<str:slug>/pairs/", acts.pairs),
    path("tournaments/<str:slug>/do/<slug:name>/", acts.do),
    path("stream/lobby/", streams.lobby),
    path("stream/matches/<slug:match>/", streams.match),
    path("<anything:rest>", api.nothing),
]
