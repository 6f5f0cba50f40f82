"""The proved value of every move in a position: one request for all columns. A board asks here first, then proves what
its own kernel can: one that is refused lacks only the opening of Connect Four 7x6.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

import games
from arena.analysis.matches import Entry, is_solvable, values_at
from arena.match.commands import Refusal
from arena.web.limits import Limit
from arena.web.views import view
from games import Position

LONGEST_POSITION = 200
# The limit of one process: a proving thread takes processor time from its pages.
_ONE = threading.Lock()
_PATIENCE_S = 0.5
VALUES = Limit("positions to prove", 120, 4)


@view("GET", hosted=False)
async def values(request: HttpRequest, variant: str) -> HttpResponse:
    """`{"values": […]}`: an entry for each legal move in the order of the rules, as arena/analysis/matches.py says."""
    if not is_solvable(variant):
        raise Http404(f"There is no solver for {variant[:40]!r}.")
    text = request.GET.get("position", "")
    if len(text) > LONGEST_POSITION:
        raise Refusal("invalid_form", f"Received {len(text)} characters, expected {LONGEST_POSITION} at most.")
    try:
        position = games.variant(variant).parse(text)
    except ValueError as why:
        raise Refusal("invalid_form", f"This is no position of {variant}: {why}.") from None
    VALUES.check(request)
    found = await asyncio.to_thread(proved, position)
    return JsonResponse({"values": found}, headers={"Cache-Control": "private, max-age=3600"})


def proved(position: Position) -> Sequence[Entry]:
    """The values of the position's moves, computed in a thread. Raises Refusal if others are waiting already."""
    if not _ONE.acquire(timeout=_PATIENCE_S):
        raise Refusal("busy", "Other positions are being proved. Ask again in a moment.")
    try:
        return values_at(position)
    finally:
        _ONE.release()
