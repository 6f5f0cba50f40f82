"""`/api/players/`: people, guests and bots with their ratings, to read without an account."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

import games
from arena.models import Bot, Player, Rating
from arena.web.api.answers import api, asked, limit_of, next_address, one_of, said
from arena.web.people import ratings

# Built-in players are no players of their own: they sit on seats as `builtin`, with a level.
KINDS = (Player.Kind.PERSON, Player.Kind.GUEST, Player.Kind.BOT)


@api()
async def players(request: HttpRequest) -> HttpResponse:
    """By slug. `?kind=`, `?variant=` (those with a rating in it), `?after=` (the slug that the page begins behind)."""
    wish, most = asked(request, "kind", "variant", "after"), limit_of(request)
    kind = one_of("kind", wish["kind"], KINDS)
    rows = Player.objects.filter(kind__in=[kind] if kind else KINDS, slug__gt=wish["after"])
    if one_of("variant", wish["variant"], (each.slug for each in games.variants())):
        rows = rows.filter(pk__in=Rating.objects.filter(variant=wish["variant"]).values("player"))
    found = [row async for row in rows.order_by("slug")[: most + 1]]
    more = next_address(request, "after", found[most - 1].slug) if len(found) > most else None
    return said(request, {"players": await _players(found[:most]), "next": more})


@api()
async def player(request: HttpRequest, slug: str) -> HttpResponse:
    """One, and of a person the slugs of their bots."""
    found = await Player.objects.filter(kind__in=KINDS, slug=slug.lower()).afirst()
    if found is None:
        raise Http404(f"There is no player {slug[:64]!r}.")
    (line,) = await _players([found])
    owned = Bot.objects.filter(owner=found.user_id, owner__isnull=False).order_by("player__slug")
    bots = [each async for each in owned.values_list("player__slug", flat=True)]
    return said(request, line | {"bots": bots, "matches": f"/api/matches/?player={found.slug}"})


async def _players(found: list[Player]) -> list[dict[str, Any]]:
    """In one query more, however many there are."""
    wanted = Rating.objects.filter(player__in=[each.pk for each in found]).order_by("-matches", "variant")
    of: dict[int, list[ratings.RatingRow]] = defaultdict(list)
    for row in ratings.rows([row async for row in wanted.values_list(*ratings.COLUMNS)]):
        of[row.player].append(row)
    return [
        {
            "slug": each.slug,
            "name": each.name,
            "kind": each.kind,
            "ratings": [{"variant": row.variant, **ratings.numbers(row)} for row in of[each.pk]],
            "api": f"/api/players/{each.slug}/",
            "page": each.get_absolute_url(),
        }
        for each in found
    ]
