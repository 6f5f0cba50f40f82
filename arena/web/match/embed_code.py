"""The code that the author of another site pastes to show a match there."""

from __future__ import annotations

from html import escape

from django.http import HttpRequest
from django.utils.translation import gettext

from arena.core.hub import LiveMatch
from arena.web.words import seat_name

WIDTH, HEIGHT = 480, 700


def embed_code(request: HttpRequest, live: LiveMatch) -> str:
    """HTML of a frame with this match, "" for a private one. The names in it are escaped; the page that shows the code
    escapes the whole once more.
    """
    if live.private:
        return ""
    address = escape(request.build_absolute_uri(f"/m/{live.id}/embed/"))
    first, second = (seat_name(who, seat) for seat, who in enumerate(live.state.setup.seats))
    title = escape(gettext("{first} against {second}").format(first=first, second=second))
    return f'<iframe src="{address}" title="{title}" width="{WIDTH}" height="{HEIGHT}" loading="lazy"></iframe>'
