"""Playing on from a position: a room whose match begins with the moves that led there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from arena.host import Host
from arena.match.commands import Refusal
from arena.protocols import facts_of, protocols
from arena.web.analysis.lines import after, moves_in
from arena.web.match.matches import live_of
from arena.web.present import present
from arena.web.room import form as room_form
from arena.web.room import form_page, rooms
from arena.web.room.form import RoomForm
from arena.web.room.form_page import OptionGroup
from arena.web.views import view
from games.players import LEVELS

# The clock offered for bots on sockets, which need one.
_CLOCK = "move:30s"
USUAL = "builtin:club"


@view("POST")
async def play(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """Open a room at the position after `moves` (`4,2,3`), against `who`; `side` is `next` or `other`."""
    live = (await live_of(request, host, match))[0]
    setup = live.state.setup
    if not live.over:
        raise Refusal("running", _("The match still runs. Play on from it when it is over."))
    moves = moves_in(request.POST.get("moves", ""))
    position = after(setup.variant, setup.settings, moves)
    if position.to_move is None:
        raise Refusal("match_over", _("Nothing is left to play here: the match ends with this position."))
    who, side = request.POST.get("who", USUAL), request.POST.get("side", "next")
    if side not in ("next", "other"):
        raise Refusal(
            "invalid_form",
            _("Received {what}, expected {known}.").format(
                what=repr(side[:20]), known=_(" or ").join(("next", "other"))
            ),
        )
    form = await room_form.form_in(request, setup.variant, _CLOCK)
    if (why := room_form.why_no_side(form, who) or why_not_from_here(form, who)) or who == "me":
        raise Refusal("invalid_form", why or _("You sit on one side already."))
    mine = position.to_move if side == "next" else 1 - position.to_move
    sides = ("me", who) if mine == 0 else (who, "me")
    seated = replace(form, said={**form.said, "side0": sides[0], "side1": sides[1]})
    fields: dict[str, Any] = {
        "variant": setup.variant,
        "settings": dict(setup.settings),
        "clock": room_form.usual_clock(seated),
        "rounds": 1,
        "private": True,
        "offers": True,
        "opening": " ".join(moves),
    }
    return await rooms.opened(request, host, fields, sides)


async def opponents(request: HttpRequest, host: Host | None, variant: str) -> dict[str, Any]:
    """The possible `opponents` from any position: not bots whose protocol sends only moves. With more bots than are
    listed, `find` is the part of a name that was asked for.
    """
    form = replace(await room_form.form_in(request, variant, _CLOCK), lacking=(await present(host)).lacking)
    found = []
    for group in form_page.groups(form, USUAL, me=False, levels=LEVELS):
        options = [each for each in group.options if not (each.why or why_not_from_here(form, each.value))]
        if options:
            found.append(OptionGroup(group.label, options))
    return {"opponents": found, "find": form.find}


def why_not_from_here(form: RoomForm, who: str) -> str:
    """Why this opponent, who can be on a side, cannot begin in the middle of a match, "" if they can."""
    choice = room_form.choice_of(who)
    assert choice is not None, "it can be on a side"
    slug = choice.protocol or next((bot.protocol for bot in form.bots if bot.player == choice.player), "")
    if slug not in protocols() or facts_of(slug).tells_positions:
        return ""
    words = _("Bots that speak {protocol} are told moves, never positions: they begin at the start.")
    return words.format(protocol=protocols()[slug].title)
