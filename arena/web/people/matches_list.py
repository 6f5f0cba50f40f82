"""The list of matches on a profile and on the page of a bot: its filters and its pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

import games
from arena.common.numbers import whole_number
from arena.match.state import SeatSetup
from arena.models import Player, Seat
from arena.web.guests import Visitor
from arena.web.options import options
from arena.web.people.records import CAUSES, OUTCOMES, PlayedMatch, Wish, listed, reason_words
from arena.web.words import ago, seat_name, title, title_of

WORDS = {
    "won": gettext_noop("won"),
    "drawn": gettext_noop("drawn"),
    "lost": gettext_noop("lost"),
    "void": gettext_noop("not counted"),
}


def wish_of(request: HttpRequest) -> Wish:
    """The filters in the address; impossible values are ignored."""
    said = {name: request.GET.get(name, "") for name in ("game", "result", "by", "before")}
    return Wish(
        variant=said["game"] if said["game"] in games.slugs() else "",
        outcome=said["result"] if said["result"] in OUTCOMES else "",
        termination=said["by"] if said["by"] in CAUSES else "",
        before=whole_number(said["before"]),
    )


async def context(player: Player, visitor: Visitor, wish: Wish) -> dict[str, Any]:
    """The context of templates/arena/fragments/matches_list.html."""
    found, older = await listed(player, visitor, wish)
    now = timezone.now()
    rows = [
        {
            "letter": each.letter,
            "outcome": _(WORDS[each.outcome]),
            "name": _opponent(each),
            "slug": each.slug,
            "tag": "bot" if each.kind == "bot" else "",  # the name of a built-in player says what it is
            "reason": each.why or reason_words(each.termination, each.reason) or each.cause,
            "title": title_of(each.variant),
            "ago": ago(each.ended, now),
            "ended": each.ended,
            "address": f"/m/{each.match}/",
            "rated": each.rated,
        }
        for each in found
    ]
    return {
        "rows": rows,
        "older": _address(wish._replace(before=older)) if older else "",
        "newest": _address(wish._replace(before=None)) if wish.before else "",
        "games": options({variant.slug: title(variant) for variant in games.variants()}, wish.variant),
        "results": options({name: _(words) for name, words in WORDS.items()}, wish.outcome),
        "causes": options({name: _(words) for name, words in CAUSES.items()}, wish.termination),
        "filtered": bool(wish.variant or wish.outcome or wish.termination),
    }


def _opponent(each: PlayedMatch) -> str:
    """The opponent's name; a built-in player goes by its level, in the current language."""
    if each.kind != Seat.Kind.BUILTIN:
        return each.opponent
    level = each.opponent.partition(" ")[0].lower()
    return seat_name(SeatSetup(name=each.opponent, kind="builtin", level=level), 0)


def _address(wish: Wish) -> str:
    said = {"game": wish.variant, "result": wish.outcome, "by": wish.termination, "before": wish.before or ""}
    return "?" + urlencode({name: value for name, value in said.items() if value}) + "#matches"
