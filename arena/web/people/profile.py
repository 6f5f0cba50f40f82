"""`/@/<slug>/`: the matches of a person or guest, their ratings, and the bots they own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

import games
from arena.host import Host, NoHost
from arena.models import Bot, Player
from arena.web import challenges
from arena.web.guests import Visitor, visitor_of
from arena.web.joined import called
from arena.web.options import options
from arena.web.people import matches_list, ratings, records
from arena.web.people.open_matches import ON_PROFILE, open_matches
from arena.web.people.rating_graph import graph_of
from arena.web.privacy import keep_private
from arena.web.views import page, view
from arena.web.words import clock_title, title_of

MOST_BOTS = 100
# Two in a row are not a streak.
LEAST_STREAK = 3


@view("GET", rows=True)
async def profile(request: HttpRequest, host: Host | None, slug: str) -> HttpResponse:
    player = await sync_to_async(called)(slug)
    if player is None:
        raise Http404(_("There is no player with this name. It may have been changed."))
    if player.kind == Player.Kind.BOT or slug != player.slug:
        return HttpResponseRedirect(player.get_absolute_url())
    return await page(request, "arena/profile.html", await _context(request, host, player))


@view("GET", hosted=False)
async def me(request: HttpRequest) -> HttpResponse:
    """One's own profile; home for a visitor who has not played."""
    number = (await visitor_of(request)).player
    player = await Player.objects.filter(pk=number).afirst() if number else None
    return HttpResponseRedirect(player.get_absolute_url() if player else "/")


async def _context(request: HttpRequest, host: Host | None, player: Player) -> dict[str, Any]:
    visitor = await visitor_of(request)
    you = visitor.player == player.pk
    if you or visitor.rooms or visitor.sees_private:
        keep_private(request)  # private matches are in the list
    newest = await records.newest(player, visitor)
    habits = _habits(newest)
    standings = await ratings.ratings_of(player.pk)
    return {
        "player": player,
        "since": player.user.date_joined if player.user else None,
        "guest": player.kind == Player.Kind.GUEST,
        "you": you,
        "standings": standings,
        "graphs": [graph for row in standings if (graph := await graph_of(player.pk, row.variant))],
        "tally": records.tally(newest),
        **habits,
        "many": len(newest) == records.MOST,
        **await _challenge(host, player, you, visitor, habits["most"]),
        "open": await open_matches(player.pk if you else None, ON_PROFILE),
        "list": await matches_list.context(player, visitor, matches_list.wish_of(request)),
        "bots": await _bots(player),
    }


def _habits(newest: Sequence[records.PlayedMatch]) -> dict[str, Any]:
    """`form`: letters, the newest last; `streak`: words, or ""; `favourites`: (title, address, matches);
    `most`: the variant they play most, or the first one.
    """
    found = records.habits(newest)
    count = {
        "W": ngettext("{n} win in a row", "{n} wins in a row", found.streak),
        "L": ngettext("{n} loss in a row", "{n} losses in a row", found.streak),
        "D": ngettext("{n} draw in a row", "{n} draws in a row", found.streak),
    }.get(found.letter, "")
    return {
        "form": found.last[::-1],
        "streak": count.format(n=found.streak) if found.streak >= LEAST_STREAK else "",
        "most": found.favourites[0][0] if found.favourites else games.variants()[0].slug,
        "favourites": [(title_of(slug), f"/rank/{slug}/", number) for slug, number in found.favourites],
    }


async def _challenge(host: Host | None, player: Player, you: bool, visitor: Visitor, most: str) -> dict[str, Any]:
    """The choices in the form of a challenge: `clocks`, `games` with the one that they play `most`, `may_rate`; and
    what is `between` both.
    """
    if you or player.kind not in (Player.Kind.PERSON, Player.Kind.GUEST):
        return {}
    between: dict[str, Any] = {}
    with suppress(NoHost):
        between = await challenges.between(host, player.pk, visitor.player)
    return {
        "between": between,
        "games": options({each.slug: title_of(each.slug) for each in games.variants()}, most),
        "clocks": options({clock: clock_title(clock) for clock in challenges.CLOCKS}, challenges.USUAL_CLOCK),
        "may_rate": visitor.account is not None and player.kind == Player.Kind.PERSON,
    }


async def _bots(player: Player) -> list[tuple[Bot, str]]:
    if player.user is None:
        return []
    owned = Bot.objects.filter(owner=player.user).select_related("player").order_by("-enabled", "player__name")
    return [(bot, title_of(bot.variant)) async for bot in owned[:MOST_BOTS]]
