"""`/about/`: what this site is, what it keeps of its visitors, and for whom it is made."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

import games
from arena.web.views import page, view


@view("GET", hosted=False)
async def about(request: HttpRequest) -> HttpResponse:
    titles = ", ".join(game.title for game in games.games())
    context = {"games": titles, "session_days": settings.SESSION_COOKIE_AGE // 86400}
    return await page(request, "arena/about.html", context)
