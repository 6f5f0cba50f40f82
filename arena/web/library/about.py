"""`/about/`: what this site is, what it stores about its visitors, and for whom it is made."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

import games
from arena.web.views import page, view
from arena.web.words import game_title


@view("GET", hosted=False)
async def about(request: HttpRequest) -> HttpResponse:
    titles = ", ".join(game_title(game.title) for game in games.games())
    context = {"games": titles, "session_days": settings.SESSION_COOKIE_AGE // 86400}
    return await page(request, "arena/about.html", context)
