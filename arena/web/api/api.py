"""`/api/`: public matches, bots and tournaments as JSON, readable without an account.

Lists are read by keyset: `next` is the address of the rest, null at the end. docs/api.md is the handbook.
"""

from __future__ import annotations

from operator import attrgetter
from typing import cast

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest

import games
from arena import protocols
from arena.host import Host
from arena.match.ids import id_at
from arena.models import Bot, Match, Rating, Seat, Tournament
from arena.models.match import public
from arena.tournaments import export
from arena.web.api import shapes
from arena.web.api.answers import api
from arena.web.api.lines import bot_line, match_line, tournament_line, with_lines
from arena.web.api.log_shapes import MatchLog
from arena.web.api.query import MOST_KEY, PROTOCOL, VARIANT, Parameter, Parameters, Query, a_page
from arena.web.bots.bots import bot_of
from arena.web.joined import called, numbers_of
from arena.web.match.logs import log_json
from arena.web.match.matches import live_of
from arena.web.match.stored import stored_head
from arena.web.people import ratings
from arena.web.present import HostNow, present
from arena.web.tournaments import tournaments

STATES = {
    "open": Q(started=None, ended=None),
    "running": Q(started__isnull=False, ended=None),
    "ended": Q(ended__isnull=False),
}
TOURNAMENT_STATES = [state for state in Tournament.State.values if state != Tournament.State.DRAFT]
OF_MATCHES: Parameters = {
    "variant": VARIANT,
    "state": Parameter("How far it is.", lambda: list(STATES)),
    "player": Parameter("The slug of somebody who plays in it."),
    "event": Parameter("The slug of the tournament it is played in."),
    "since": Parameter("Opened then or later.", is_time=True),
    "until": Parameter("Opened before then.", is_time=True),
    "before": Parameter("The id of the match behind which the list begins."),
}
OF_BOTS: Parameters = {
    "variant": VARIANT,
    "protocol": PROTOCOL,
    "after": Parameter("The slug behind which the list begins."),
}
OF_TOURNAMENTS: Parameters = {
    "state": Parameter("How far it is.", lambda: TOURNAMENT_STATES),
    "before": Parameter("The number behind which the list begins.", most=MOST_KEY),
}


@api()
async def index(request: HttpRequest) -> shapes.Index:
    """The addresses below."""
    return {
        "matches": "/api/matches/",
        "bulk": "/api/bulk/matches/",
        "players": "/api/players/",
        "bots": "/api/bots/",
        "tournaments": "/api/tournaments/",
        "leaderboards": "/api/leaderboards/",
        "lobby": "/api/stream/lobby/",
        "openapi": "/api/v1/openapi.json",
        "variants": list(games.slugs()),
        "protocols": list(protocols.slugs()),
    }


@api(any_method=True)
async def nothing(request: HttpRequest, rest: str) -> shapes.RefusalShape:
    slash = "" if rest.endswith("/") else " Addresses end with a slash."
    raise Http404(f"There is no address {request.path[:88]}.{slash}")


# -- matches -----------------------------------------------------------------------------------------------------------


@api(parameters=OF_MATCHES)
async def matches(request: HttpRequest, wish: Query) -> shapes.MatchList:
    """Public matches, newest first."""
    rows = await public_matches(wish)
    if wish["state"]:
        rows = rows.filter(STATES[wish["state"]])
    found, more = await a_page(request, with_lines(rows.order_by("-pk")), wish, "before")
    return {"matches": [match_line(row) for row in found], "next": more}


async def public_matches(wish: Query) -> QuerySet[Match]:
    """The matches that a list may show, by all requested filters except their state. Raises Http404."""
    rows = Match.objects.filter(public(), kind=None)
    if wish["variant"]:
        rows = rows.filter(variant=wish["variant"])
    if wish["player"]:
        seats = Seat.objects.filter(player__in=await players_of(wish["player"]))
        rows = rows.filter(pk__in=seats.values("match"))
    if wish["event"]:
        rows = rows.filter(pairing__tournament=await _event(wish["event"]))
    if wish["before"]:
        rows = rows.filter(pk__lt=wish["before"])
    # Ids begin with the time: both are ranges of the primary key.
    if since := wish.time("since"):
        rows = rows.filter(pk__gte=id_at(since.timestamp()))
    if until := wish.time("until"):
        rows = rows.filter(pk__lt=id_at(until.timestamp()))
    return rows


@api(rows=True)
async def match(request: HttpRequest, host: Host | None, match: str) -> MatchLog:
    """One match with its moves, as in `/m/<id>/log.json`."""
    live, _ = await live_of(request, host, match)
    return cast(MatchLog, log_json(live) | {"head": await stored_head(live), "page": f"/m/{live.id}/"})


@sync_to_async
def players_of(slug: str) -> list[int]:
    """The numbers of a player and of the guests that they were. Raises Http404."""
    found = called(slug.lower())
    if found is None:
        raise Http404(f"There is no player {slug[:64]!r}.")
    return numbers_of(found.pk)


async def _event(slug: str) -> int:
    known = Tournament.objects.filter(slug=slug.lower(), state__in=TOURNAMENT_STATES)
    if (found := await known.values_list("pk", flat=True).afirst()) is None:
        raise Http404(f"There is no tournament {slug[:64]!r}.")
    return found


# -- bots --------------------------------------------------------------------------------------------------------------


@api(rows=True, parameters=OF_BOTS)
async def bots(request: HttpRequest, host: Host | None, wish: Query) -> shapes.BotList:
    """The enabled bots, by slug."""
    rows = Bot.objects.filter(enabled=True, player__slug__gt=wish["after"])
    if wish["variant"]:
        rows = rows.filter(variant=wish["variant"])
    if wish["protocol"]:
        rows = rows.filter(protocol=wish["protocol"])
    rows = rows.select_related("player").order_by("player__slug")
    found, more = await a_page(request, rows, wish, "after", attrgetter("player.slug"))
    return {"bots": await _bots(found, await present(host)), "next": more}


@api(rows=True)
async def bot(request: HttpRequest, host: Host | None, slug: str) -> shapes.BotShape:
    """One bot, enabled or not."""
    found = await bot_of(slug)
    (line,) = await _bots([found], await present(host))
    return {**line, "matches": f"/api/matches/?player={slug}"}


async def _bots(found: list[Bot], here: HostNow) -> list[shapes.BotLine]:
    """The bots, with one further query, however many there are."""
    wanted = Rating.objects.filter(player__in=[each.pk for each in found], variant=F("player__bot__variant"))
    rated = {row.player: row for row in ratings.rows([row async for row in wanted.values_list(*ratings.COLUMNS)])}
    return [bot_line(each, each.pk in here.online, rated.get(each.pk)) for each in found]


# -- tournaments -------------------------------------------------------------------------------------------------------


@api(parameters=OF_TOURNAMENTS)
async def tournament_list(request: HttpRequest, wish: Query) -> shapes.TournamentList:
    """Tournaments, newest first, without drafts."""
    states = [wish["state"]] if wish["state"] else TOURNAMENT_STATES
    rows = Tournament.objects.listed().filter(state__in=states).order_by("-pk")
    if (before := wish.number("before")) is not None:
        rows = rows.filter(pk__lt=before)
    found, more = await a_page(request, rows, wish, "before")
    return {"tournaments": [tournament_line(row) for row in found], "next": more}


@api()
async def tournament(request: HttpRequest, slug: str) -> shapes.TournamentShape:
    """Entries, schedule and table; the file that `all` names has the moves of all matches."""
    sheet, _ = await tournaments.found(request, slug)
    content = await database_sync_to_async(export.summary, thread_sensitive=False)(sheet)
    return cast(shapes.TournamentShape, content | {"all": f"/t/{slug}/all.json", "page": f"/t/{slug}/"})
