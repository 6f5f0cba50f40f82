"""`/api/players/` and `/api/leaderboards/`: people, guests and bots with their ratings, to read without an account."""

from __future__ import annotations

from collections import defaultdict
from operator import attrgetter
from typing import Literal, cast

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest

import games
from arena.common import names
from arena.match.export import timestamp
from arena.models import Bot, Player, Rating, RatingChange
from arena.models.match import public
from arena.web.api import shapes
from arena.web.api.answers import api
from arena.web.api.query import MOST_KEY, VARIANT, Parameter, Parameters, Query, a_page
from arena.web.joined import called
from arena.web.people import ratings

# Built-in players are not listed: on a seat they appear as `builtin`, with a level.
KINDS = (Player.Kind.PERSON, Player.Kind.GUEST, Player.Kind.BOT)
PlayerKind = Literal["person", "guest", "bot"]
OF_PLAYERS: Parameters = {
    "kind": Parameter("Who it is.", lambda: list(KINDS)),
    "variant": Parameter("Those with a rating in it.", VARIANT.allowed),
    "after": Parameter("The slug behind which the list begins."),
}
OF_HISTORY: Parameters = {
    "variant": VARIANT,
    "before": Parameter("The number behind which the list begins.", most=MOST_KEY),
}


@api(parameters=OF_PLAYERS)
async def players(request: HttpRequest, wish: Query) -> shapes.PlayerList:
    """People, guests and bots with their ratings, by slug."""
    kinds = [wish["kind"]] if wish["kind"] else KINDS
    rows = Player.objects.filter(kind__in=kinds, slug__gt=wish["after"], joined=None)
    rows = rows.exclude(slug__startswith=names.slug(names.FORMER))
    if wish["variant"]:
        rows = rows.filter(pk__in=Rating.objects.filter(variant=wish["variant"]).values("player"))
    found, more = await a_page(request, rows.order_by("slug"), wish, "after", attrgetter("slug"))
    return {"players": await _players(found), "next": more}


@api()
async def player(request: HttpRequest, slug: str) -> shapes.PlayerShape:
    """One player; for a person, also the slugs of their bots."""
    found = await _one(slug)
    (line,) = await _players([found])
    owned = Bot.objects.filter(owner=found.user_id, owner__isnull=False).order_by("player__slug")
    bots = [each async for each in owned.values_list("player__slug", flat=True)]
    lists = {"matches": f"/api/matches/?player={found.slug}", "history": f"/api/players/{found.slug}/history/"}
    return cast(shapes.PlayerShape, {**line, "bots": bots, **lists})


@api(parameters=OF_HISTORY)
async def history(request: HttpRequest, wish: Query, slug: str) -> shapes.RatingHistory:
    """A player's points before and after each rated match that is public, newest first."""
    rows = RatingChange.objects.filter(public("match__"), player=(await _one(slug)).pk).order_by("-order")
    if wish["variant"]:
        rows = rows.filter(variant=wish["variant"])
    if (before := wish.number("before")) is not None:
        rows = rows.filter(order__lt=before)
    found, more = await a_page(request, rows, wish, "before", attrgetter("order"))
    return {"history": [_step(row) for row in found], "next": more}


@api()
async def leaderboards(request: HttpRequest) -> shapes.Leaderboards:
    """The address of each variant's table."""
    return {"leaderboards": {each.slug: f"/api/leaderboards/{each.slug}/" for each in games.variants()}}


@api(parameters={})
async def leaderboard(request: HttpRequest, wish: Query, variant: str) -> shapes.Leaderboard:
    """The players with a settled rating, best first."""
    if variant not in games.slugs():
        raise Http404(f"There is no variant {variant[:40]!r}.")
    found = await ratings.top(variant, wish.limit)
    slugs = dict(
        [row async for row in Player.objects.filter(pk__in=[row.player for row in found]).values_list("pk", "slug")]
    )
    return {
        "variant": variant,
        "players": [_placed(place, row, slugs[row.player]) for place, row in enumerate(found, 1)],
    }


async def _one(slug: str) -> Player:
    found = await sync_to_async(called)(slug.lower())
    if found is None or found.kind not in KINDS:
        raise Http404(f"There is no player {slug[:64]!r}.")
    return found


def _step(row: RatingChange) -> shapes.RatingStep:
    result = {"W": "won", "D": "drawn"}.get(row.last[-1:], "lost")
    at = timestamp(row.at) if row.at else None
    said = {"match": row.match_id, "at": at, "variant": row.variant, "result": result}
    return cast(shapes.RatingStep, said | {"before": round(row.before), "points": round(row.points)})


def _placed(place: int, row: ratings.RatingRow, slug: str) -> shapes.LeaderboardLine:
    kind = "bot" if row.is_bot else "person"
    said = {"place": place, "name": row.name, "slug": slug, "kind": kind, "page": row.address, **ratings.numbers(row)}
    return cast(shapes.LeaderboardLine, said)


async def _players(found: list[Player]) -> list[shapes.PlayerLine]:
    """The players, with one further query however many there are."""
    wanted = Rating.objects.filter(player__in=[each.pk for each in found]).order_by("-matches", "variant")
    of: dict[int, list[ratings.RatingRow]] = defaultdict(list)
    for row in ratings.rows([row async for row in wanted.values_list(*ratings.COLUMNS)]):
        of[row.player].append(row)
    return [
        {
            "slug": each.slug,
            "name": each.name,
            "kind": cast(PlayerKind, each.kind),
            "ratings": [
                cast(shapes.RatingOfVariant, {"variant": row.variant, **ratings.numbers(row)}) for row in of[each.pk]
            ],
            "api": f"/api/players/{each.slug}/",
            "page": each.get_absolute_url(),
        }
        for each in found
    ]
