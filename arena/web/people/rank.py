"""Leaderboards: `/rank/<variant>/`, people and bots in one ladder, the settled ones first."""

from __future__ import annotations

import math
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

import games
from arena.match.commands import Refusal
from arena.match.ladder import NEW, SETTLED
from arena.models import Player, Rating, Seat
from arena.models.match import public
from arena.ratings.landmarks import landmarks
from arena.web.asked import one_of, page_number
from arena.web.guests import known_visitor
from arena.web.people.ratings import COLUMNS, RatingRow, rows
from arena.web.views import page, view
from arena.web.words import ago, level_name, title

ROWS = 50
KINDS = {"all": gettext_noop("All"), "people": gettext_noop("People"), "bots": gettext_noop("Bots")}
_KIND = {"people": Player.Kind.PERSON, "bots": Player.Kind.BOT}


class RankLine(NamedTuple):
    """One line of the table: `place` is None for an unsettled rating, `seen` "now" for a player in a match."""

    place: int | None
    row: RatingRow
    seen: str
    me: bool


class MarkLine(NamedTuple):
    """A line of nobody's rating: where a built-in player would stand, or (no name) where the reader would begin."""

    points: int
    name: str = ""
    play: str = ""


@view("GET", hosted=False)
async def index(request: HttpRequest) -> HttpResponse:
    """The ladder of the first game."""
    return HttpResponseRedirect(f"/rank/{games.variants()[0].slug}/")


@view("GET", hosted=False)
async def rank(request: HttpRequest, variant: str) -> HttpResponse:
    """`?kind=all|people|bots`, `?page=` from 1."""
    if variant not in games.slugs():
        words = _("There is no game {name} here. Choose one of those above the boards on the first page.")
        raise Http404(words.format(name=variant))
    kind, number = one_of(request, "kind", KINDS, "all"), page_number(request)
    ratings = Rating.objects.filter(variant=variant)
    if kind in _KIND:
        # Not by a join: it would look up every player to count them.
        ratings = ratings.filter(player__in=Player.objects.filter(kind=_KIND[kind]).values("pk"))
    settled, others = [await ratings.filter(settled=settled).acount() for settled in (True, False)]
    pages = max(1, math.ceil((settled + others) / ROWS))
    if number > pages:
        words = _("There is no page {n} of this table; the last one is page {last}.")
        raise Refusal("not_found", words.format(n=number, last=pages))
    first = (number - 1) * ROWS
    found = await _slice(ratings, first, settled)
    lines = _lines(found, first, known_visitor(request).player, await _playing(found))
    marks = await _marks(request, variant, kind)
    below = await _below(ratings, first) if settled > first + ROWS else -math.inf
    among = _among([line for line in lines if line.place is not None], marks, number, below)
    return await page(request, "arena/rank.html", _shown(variant, kind, number, pages, lines) | {"settled": among})


def _shown(variant: str, kind: str, number: int, pages: int, lines: list[RankLine]) -> dict[str, Any]:
    query = "" if kind == "all" else f"kind={kind}&"
    return {
        "title": title(games.variant(variant)),
        "variants": [
            (title(each), f"/rank/{each.slug}/{_asked(kind)}", each.slug == variant) for each in games.variants()
        ],
        "kinds": [(_(words), f"/rank/{variant}/{_asked(name)}", name == kind) for name, words in KINDS.items()],
        "kind": kind,
        "rated": bool(lines),
        "others": [line for line in lines if line.place is None],
        "least": SETTLED,
        "page": number,
        "pages": pages,
        "before": f"?{query}page={number - 1}" if number > 1 else "",
        "after": f"?{query}page={number + 1}" if number < pages else "",
    }


def _asked(kind: str) -> str:
    return "" if kind == "all" else f"?kind={kind}"


async def _slice(ratings: QuerySet[Rating], first: int, settled: int) -> list[RatingRow]:
    """The rows from `first` on: the settled ones by points, then the others by points."""
    ordered = ratings.order_by("-points", "player")
    wanted = ordered.filter(settled=True).values_list("pk", flat=True)[first : first + ROWS]
    numbers = [number async for number in wanted] if first < settled else []
    if len(numbers) < ROWS:
        begin = max(0, first - settled)
        wanted = ordered.filter(settled=False).values_list("pk", flat=True)[begin : begin + ROWS - len(numbers)]
        numbers += [number async for number in wanted]
    # The numbers come from the index alone; the rest is read only for the rows that are shown.
    shown = Rating.objects.filter(pk__in=numbers).order_by("-settled", "-points", "player").values_list(*COLUMNS)
    return rows([row async for row in shown])


async def _below(ratings: QuerySet[Rating], first: int) -> float:
    """The points of the settled player with whom the next page begins."""
    next_page = ratings.filter(settled=True).order_by("-points", "player")[first + ROWS : first + ROWS + 1]
    return max([round(points) async for points in next_page.values_list("points", flat=True)], default=-math.inf)


async def _marks(request: HttpRequest, variant: str, kind: str) -> list[MarkLine]:
    """The built-in players, and where somebody begins who has an account and no rating yet; the highest first."""
    marks = [
        MarkLine(points, level_name(level), "/?" + urlencode({"game": variant, "level": level}))
        for level, points in landmarks(variant)
    ]
    visitor = known_visitor(request)
    is_new = kind != "bots" and visitor.account is not None and visitor.player is not None
    if is_new and not await Rating.objects.filter(player=visitor.player, variant=variant).aexists():
        marks.append(MarkLine(round(NEW.points)))
    return sorted(marks, key=lambda mark: -mark.points)


def _among(lines: list[RankLine], marks: list[MarkLine], number: int, below: float) -> list[RankLine | MarkLine]:
    """The settled lines of a page with the marks in their places. A mark stands below all who have as many points, on
    the page of the last of them.
    """
    above = math.inf if number == 1 else max((line.row.points for line in lines), default=-math.inf)
    return sorted([*lines, *(mark for mark in marks if below < mark.points <= above)], key=_height)


def _height(line: RankLine | MarkLine) -> tuple[int, int]:
    return (-line.points, 1) if isinstance(line, MarkLine) else (-line.row.points, 0)


async def _playing(found: list[RatingRow]) -> set[int | None]:
    """Those of these players who are in a public match now."""
    seats = Seat.objects.filter(player__in=[row.player for row in found], match__ended=None)
    return {player async for player in seats.filter(public("match__")).values_list("player", flat=True)}


def _lines(found: list[RatingRow], first: int, me: int | None, playing: set[int | None]) -> list[RankLine]:
    now = timezone.now()
    return [
        RankLine(
            first + number if row.settled else None,
            row,
            "now" if row.player in playing else ago(row.at, now) if row.at else "",
            row.player == me,
        )
        for number, row in enumerate(found, start=1)
    ]
