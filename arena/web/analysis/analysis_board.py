"""The analysis board of a finished match: any of its positions, moves for both sides, variations and their results.

The page is whole without a script: a form adds a move to the address. With one, analysis-board.js draws and proves in
the browser, even offline, and asks `position_values` while online.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

import games
from arena.analysis.matches import entries_of, is_solvable
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.web import guests
from arena.web.analysis import play_on
from arena.web.analysis.lines import Shown, shown
from arena.web.drawing import Choice, View
from arena.web.match import analysis, fragments, frames
from arena.web.match.acts import joined
from arena.web.match.matches import live_of
from arena.web.views import chosen_in, page, view
from arena.web.words import seat_name, title
from arena.work.analyses import Analysed
from games import Position

NO_VALUES = mark_safe('<div id="values"></div>')
# The kernel runs here: no other page may compile a WebAssembly module.
WITH_KERNEL = {"script-src": ["'wasm-unsafe-eval'"]}


@view("GET", "POST", rows=True)
async def board(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """The board at `?ply=12&line=4,2`, or the match page while the match runs. A POST is a move without a script.

    With `again` a position in which the reader made a mistake is shown without its values.
    """
    live, visitor = await live_of(request, host, match)
    if not is_solvable(live.state.setup.variant):
        raise Http404(str(analysis.NO_SOLVER))
    if not live.over:
        return HttpResponseRedirect(f"/m/{live.id}/")
    said = request.POST if request.method == "POST" else request.GET
    move = str(joined(request.POST.getlist("move"))) if request.method == "POST" else ""
    looks = shown(live, said.get("ply", ""), said.get("line", ""), move)
    if request.method == "POST":
        return HttpResponseRedirect(address_of(live.id, looks.ply, looks.line))
    audience = guests.audience_of(live, visitor.player)
    mistakes = _mistakes(live, audience)
    tries = "again" in request.GET and not looks.line and looks.ply + 1 in mistakes
    scene = frames.scene(host, live, audience, ply=looks.ply)
    chosen = chosen_in(request)
    context = {
        "match": live.id,
        "title": scene.title,
        "names": [seat_name(who, seat) for seat, who in enumerate(live.state.setup.seats)],
        "proved": _tag(live),
        "stage": _stage(looks, chosen),
        "fields": {"ply": looks.ply, "line": ",".join(looks.line)},
        "board": json.dumps(_told(live, looks, scene.title, mistakes, tries)),
        "values": NO_VALUES if looks.line or tries else analysis.values(live, looks.ply),
        "analysis": analysis.card(live, audience, lanes=False),
        "bars": analysis.bars(live, f"/m/{live.id}/analysis/", 0 if looks.line else looks.ply),
        "moves": fragments.moves(scene),
        "shown": looks,
        "earlier": address_of(live.id, looks.ply, looks.line[:-1])
        if looks.line
        else address_of(live.id, max(0, looks.ply - 1)),
        "later": address_of(live.id, min(len(looks.played), looks.ply + 1)),
        "mistakes": mistakes,
        "over": looks.position.to_move is None,
        **await play_on.opponents(request, host, live.state.setup.variant),
    }
    response = await page(request, "arena/analysis_board.html", context)
    response._csp_update = WITH_KERNEL  # type: ignore[attr-defined]  # read by the middleware of django-csp
    return response


def address_of(match: str, ply: int, line: tuple[str, ...] = ()) -> str:
    """The board at this ply of the match, with a line of one's own after it."""
    query = {"ply": ply, **({"line": ",".join(line)} if line else {})}
    return f"/m/{match}/analysis/?{urlencode(query, safe=',')}"


def _tag(live: LiveMatch) -> str:
    analysed: Analysed | None = live.facts.analysis
    if analysed is None:
        return ""
    return _("Proved") if analysed.story.complete else _("Proved in part")


def _stage(looks: Shown, chosen: tuple[str, ...]) -> fragments.BoardFragment:
    """The visitor plays both sides: the one to move chooses."""
    kind, position, moves = games.variant(looks.variant), looks.position, looks.moves
    view = View(position, moves[-1] if moves else None, title(kind), chosen=chosen)
    return fragments.stage(kind.game, view, Choice(position.ply % 2, position.to_move is not None, chosen))


def _told(live: LiveMatch, looks: Shown, name: str, mistakes: list[int], tries: bool) -> dict[str, Any]:
    """The data of the match for the script: its moves, the values of its positions if they are stored, and the number
    of the mistake that is tried again, 0 for none.
    """
    setup = live.state.setup
    return {
        "match": live.id,
        "title": name,
        "variant": setup.variant,
        "settings": dict(setup.settings),
        "played": looks.played,
        "ply": looks.ply,
        "line": looks.line,
        "values": _stored(live, looks),
        "mistakes": mistakes,
        "trying": looks.ply + 1 if tries else 0,
    }


def _mistakes(live: LiveMatch, audience: str) -> list[int]:
    """The numbers of the reader's own moves that changed the result for the worse."""
    analysed: Analysed | None = live.facts.analysis
    marks = analysed.story.marks if analysed is not None else ()
    return [mark.ply for mark in marks if mark.kind != "only_move" and str(mark.seat) == audience]


def _stored(live: LiveMatch, looks: Shown) -> list[list[int | str | None]]:
    analysed: Analysed | None = live.facts.analysis
    if analysed is None:
        return []
    position: Position = games.variant(looks.variant).start(**live.state.setup.settings)
    found = []
    for choice in analysed.choices:
        found.append(entries_of(choice, position.legal_moves()))
        if choice.played:
            position = position.play(choice.played)
    return found
