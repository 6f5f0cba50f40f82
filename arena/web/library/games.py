"""Pages of games: rules with small boards (read by game_texts.py), a way to try, protocols, best players."""

from __future__ import annotations

from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _

import games
from arena.match.endings import score_that_counts
from arena.models import Match, Ruling, Seat
from arena.protocols import plays, protocols
from arena.web.library.game_texts import GameText, text_of
from arena.web.people import ratings
from arena.web.people.records import reason_words, told_with
from arena.web.views import page, view
from arena.web.words import ago, colour, game_title, seat_name, title
from games import Game

MOST_TOP = MOST_MATCHES = 5
# The last matches of a game are looked for among this many of all games, so that a page costs the same with a million.
LOOKED_AT = 2000


class RecentMatch(NamedTuple):
    """One of the last matches."""

    address: str
    title: str
    names: tuple[str, str]
    words: str
    ago: str


@view("GET", hosted=False)
async def index(request: HttpRequest) -> HttpResponse:
    shown = [
        {"slug": game.slug, "title": game_title(game.title), "lead": text.lead, "picture": text.boards[-1][0]}
        for game, text in ((each, text_of(each).in_words()) for each in games.games())
    ]
    return await page(request, "arena/games.html", {"games": shown})


@view("GET", hosted=False)
async def game(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a game; the name of one of its variants leads there too."""
    found = next((each for each in games.games() if each.slug == slug), None)
    if found is None:
        owner = next((each.game for each in games.variants() if each.slug == slug), None)
        if owner is None:
            known = ", ".join(each.slug for each in games.games())
            raise Http404(_("There is no game {name}. There are: {known}.").format(name=repr(slug[:40]), known=known))
        return HttpResponseRedirect(f"/games/{owner}/")
    text = text_of(found).in_words()
    context = {
        "game": found,
        "title": game_title(found.title),
        "text": text,
        "others": [
            {"slug": each.slug, "title": game_title(each.title), "current": each is found} for each in games.games()
        ],
        "variants": [(each.slug, title(each)) for each in found.variants],
        "protocols": _speakers(found, text),
        "tops": [(title(each), each.slug, await ratings.top(each.slug, MOST_TOP)) for each in found.variants],
        "matches": await sync_to_async(_last_matches)(found),
    }
    return await page(request, "arena/game.html", context)


def _speakers(game: Game, text: GameText) -> list[dict[str, str]]:
    """Protocols for the game, with the variants if they do not cover all."""
    found = []
    for slug, adapter in protocols().items():
        carried = [title(each) for each in game.variants if plays(slug, each.slug)]
        if carried:
            some = "" if len(carried) == len(game.variants) else ", ".join(carried)
            found.append({"slug": slug, "title": adapter.title, "only": some, "columns": text.columns.get(slug, "")})
    return found


def _last_matches(game: Game) -> list[RecentMatch]:
    """The public matches that ended last, without test matches of bots."""
    newest = Match.objects.order_by("-opened").values("pk")[:LOOKED_AT]
    tried = Seat.objects.filter(match=OuterRef("pk"), kind=Seat.Kind.BOT, name__iexact="test")
    over = Match.objects.filter(pk__in=newest, variant__in=[each.slug for each in game.variants])
    over = over.filter(ended__isnull=False, plies__gt=1, kind=None).exclude(room__private=True).exclude(Exists(tried))
    found = list(over.order_by("-opened").prefetch_related("seats")[:MOST_MATCHES])
    rulings = {each.match_id: each for each in Ruling.objects.filter(match__in=found).order_by("n")}
    now = timezone.now()
    return [_ended(match, rulings.get(match.pk), now) for match in found]


def _ended(match: Match, ruling: Ruling | None, now: Any) -> RecentMatch:
    names = [colour(number) for number in (0, 1)]  # shown for a row that lost its seats
    for seat in match.seats.all():
        names[seat.seat] = seat_name(seat, seat.seat)
    data = {"winner": ruling.winner, "verdict": ruling.verdict} if ruling else None
    score = score_that_counts(match.winner, match.termination or "", data)
    won = _("{name} won")
    words = {
        1.0: won.format(name=names[0]),
        0.0: won.format(name=names[1]),
        0.5: _("Draw"),
        None: _("Not counted"),
    }[score]
    reason = told_with(*(seat.name for seat in match.seats.all()), reason=match.reason)
    why = ruling.reason if ruling else reason_words(match.termination or "", reason)
    said = f"{words}: {why}" if why else words
    assert match.ended is not None, "only ended matches are asked for"
    kind = games.variant(match.variant)
    return RecentMatch(f"/m/{match.pk}/?ply=0", title(kind), (names[0], names[1]), said, ago(match.ended, now))
