"""`/api/`: matches, bots and tournaments as JSON, to read without an account; of matches only those that are public.

Lists are read by keyset: `next` is the address of the rest, null at the end. docs/api.md is the handbook.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models import F, Prefetch, Q
from django.http import Http404, HttpRequest, HttpResponse

import games
from arena import protocols
from arena.bots.session import tokens
from arena.host import Host
from arena.match.export import timestamp
from arena.models import Bot, Match, Player, Rating, Ruling, Seat, Tournament
from arena.tournaments import export
from arena.web.api.answers import api, asked, limit_of, next_address, number, one_of, said
from arena.web.bots.bots import bot_of
from arena.web.match.logs import log_json
from arena.web.match.matches import live_of
from arena.web.match.stored import stored_head
from arena.web.people import ratings
from arena.web.tournaments import tournaments

MOST_KEY = 2**63 - 1
STATES = {
    "open": Q(started=None, ended=None),
    "running": Q(started__isnull=False, ended=None),
    "ended": Q(ended__isnull=False),
}
TOURNAMENT_STATES = [state for state in Tournament.State.values if state != Tournament.State.DRAFT]


@api()
async def index(request: HttpRequest) -> HttpResponse:
    """What there is."""
    content = {
        "matches": "/api/matches/",
        "players": "/api/players/",
        "bots": "/api/bots/",
        "tournaments": "/api/tournaments/",
        "lobby": "/api/stream/lobby/",
        "variants": [each.slug for each in games.variants()],
        "protocols": [slug for slug, _ in protocols.choices()],
    }
    return said(request, content)


@api()
async def nothing(request: HttpRequest, rest: str) -> HttpResponse:
    raise Http404(f"There is no address /api/{rest[:80]}.")


# -- matches -----------------------------------------------------------------------------------------------------------


@api()
async def matches(request: HttpRequest) -> HttpResponse:
    """Newest first. `?variant=`, `?state=`, `?player=` (a slug), `?before=` (the id that the page begins behind)."""
    wish, most = asked(request, "variant", "state", "player", "before"), limit_of(request)
    one_of("variant", wish["variant"], (each.slug for each in games.variants()))
    rows = Match.objects.filter(Q(room=None) | Q(room__private=False))
    if one_of("state", wish["state"], STATES):
        rows = rows.filter(STATES[wish["state"]])
    if wish["variant"]:
        rows = rows.filter(variant=wish["variant"])
    if wish["player"]:
        seats = Seat.objects.filter(player=await _player(wish["player"]))
        rows = rows.filter(pk__in=seats.values("match"))
    if wish["before"]:
        rows = rows.filter(pk__lt=wish["before"])
    seats_first = Prefetch("seats", Seat.objects.select_related("player").order_by("seat"))
    rows = rows.order_by("-pk").prefetch_related(seats_first, Prefetch("rulings", Ruling.objects.order_by("n")))
    found = [row async for row in rows[: most + 1]]
    more = next_address(request, "before", found[most - 1].pk) if len(found) > most else None
    return said(request, {"matches": [_match(row) for row in found[:most]], "next": more})


@api(rows=True)
async def match(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """The log as `/m/<id>/log.json` has it."""
    live, _ = await live_of(request, host, match)
    return said(request, log_json(live) | {"head": await stored_head(live), "page": f"/m/{live.id}/"})


async def _player(slug: str) -> int:
    found = await Player.objects.filter(slug=slug.lower()).values_list("pk", flat=True).afirst()
    if found is None:
        raise Http404(f"There is no player {slug[:64]!r}.")
    return found


def _match(row: Match) -> dict[str, Any]:
    rulings = list(row.rulings.all())
    return {
        "id": row.pk,
        "variant": row.variant,
        "round": row.round,
        "rated": row.rated,
        "clock": row.clock,
        "seats": [_seat(seat) for seat in row.seats.all()],
        "opened": timestamp(row.opened),
        "started": _time(row.started),
        "ended": _time(row.ended),
        "plies": row.plies if row.ended else None,  # moves touch no row, so a running match has it in its log
        "winner": row.winner,
        "result": row.result,
        "termination": row.termination,
        "reason": row.reason,
        "ruling": _ruling(rulings[-1]) if rulings else None,
        "api": f"/api/matches/{row.pk}/",
        "page": f"/m/{row.pk}/",
    }


def _seat(seat: Seat) -> dict[str, Any]:
    slug = seat.player.slug if seat.player else None
    return {"name": seat.name, "player": slug, "kind": seat.kind, "protocol": seat.protocol or None}


def _ruling(ruling: Ruling) -> dict[str, Any]:
    return {"verdict": ruling.verdict, "winner": ruling.winner, "reason": ruling.reason, "at": timestamp(ruling.at)}


def _time(moment: datetime | None) -> str | None:
    return timestamp(moment) if moment else None


# -- bots --------------------------------------------------------------------------------------------------------------


@api(hosted=True)
async def bots(request: HttpRequest, host: Host) -> HttpResponse:
    """Those that are enabled, by slug. `?variant=`, `?protocol=`, `?after=` (the slug that the page begins behind)."""
    wish, most = asked(request, "variant", "protocol", "after"), limit_of(request)
    rows = Bot.objects.filter(enabled=True, player__slug__gt=wish["after"])
    if one_of("variant", wish["variant"], (each.slug for each in games.variants())):
        rows = rows.filter(variant=wish["variant"])
    if one_of("protocol", wish["protocol"], (slug for slug, _ in protocols.choices())):
        rows = rows.filter(protocol=wish["protocol"])
    found = [row async for row in rows.select_related("player").order_by("player__slug")[: most + 1]]
    more = next_address(request, "after", found[most - 1].player.slug) if len(found) > most else None
    return said(request, {"bots": await _bots(found[:most]), "next": more})


@api(hosted=True)
async def bot(request: HttpRequest, host: Host, slug: str) -> HttpResponse:
    found = await bot_of(slug)
    (line,) = await _bots([found])
    return said(request, line | {"matches": f"/api/matches/?player={slug}"})


async def _bots(found: list[Bot]) -> list[dict[str, Any]]:
    """In one query more, however many there are."""
    wanted = Rating.objects.filter(player__in=[each.pk for each in found], variant=F("player__bot__variant"))
    rated = {row.player: row for row in ratings.rows([row async for row in wanted.values_list(*ratings.COLUMNS)])}
    return [
        {
            "slug": each.player.slug,
            "name": each.player.name,
            "variant": each.variant,
            "protocol": each.protocol,
            "family": each.family,
            "version": each.version,
            "enabled": each.enabled,
            "online": bool(tokens.connections_of(each.pk)),
            "rating": ratings.numbers(rated[each.pk]) if each.pk in rated else None,
            "api": f"/api/bots/{each.player.slug}/",
            "page": f"/bots/{each.player.slug}/",
        }
        for each in found
    ]


# -- tournaments -------------------------------------------------------------------------------------------------------


@api()
async def tournament_list(request: HttpRequest) -> HttpResponse:
    """Newest first, drafts excepted. `?state=`, `?before=` (the number that the page begins behind)."""
    wish, most = asked(request, "state", "before"), limit_of(request)
    state, before = one_of("state", wish["state"], TOURNAMENT_STATES), number("before", wish["before"], MOST_KEY)
    rows = Tournament.objects.filter(state__in=[state] if state else TOURNAMENT_STATES).order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = [row async for row in rows[: most + 1]]
    more = next_address(request, "before", found[most - 1].pk) if len(found) > most else None
    return said(request, {"tournaments": [_tournament(row) for row in found[:most]], "next": more})


@api()
async def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Entries, schedule and table; the moves of all its matches are in the file that `all` names."""
    sheet, _ = await tournaments.found(request, slug)
    content = await sync_to_async(export.summary, thread_sensitive=False)(sheet)
    return said(request, content | {"all": f"/t/{slug}/all.json", "page": f"/t/{slug}/"})


def _tournament(row: Tournament) -> dict[str, Any]:
    return {
        "slug": row.slug,
        "name": row.name,
        "variant": row.variant,
        "type": row.format,
        "state": row.state,
        "created": timestamp(row.created),
        "starts": _time(row.starts),
        "started": _time(row.started),
        "finished": _time(row.finished),
        "api": f"/api/tournaments/{row.slug}/",
        "page": f"/t/{row.slug}/",
    }
