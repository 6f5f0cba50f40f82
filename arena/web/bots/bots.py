"""`/bots/` and `/bots/<slug>/`: the bots, what each has done, and how it connects."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later

import games
from arena import paths, protocols
from arena.bots.conformance import passes
from arena.bots.failure import departures
from arena.bots.failure.cards import Card
from arena.bots.failure.quarantine import IN_A_ROW
from arena.bots.process.programs import folder_of, why_stays
from arena.bots.session import tokens
from arena.host import Host, socket_path
from arena.models import Bot, Entry, Player, Rating, Seat, Tournament
from arena.models.match import public
from arena.web import card_words, words
from arena.web.elsewhere import of_the_host
from arena.web.guests import Visitor, visitor_of
from arena.web.library import connecting
from arena.web.options import options
from arena.web.people import matches_list, ratings, records
from arena.web.people.rating_graph import graph_of
from arena.web.present import HostNow, present, why_not_started
from arena.web.privacy import keep_private
from arena.web.views import page, view
from arena.web.words import title
from arena.work.stranded import why_given_back
from games.players import LEVELS

A_PAGE = 50
MOST_VERSIONS = 50
MOST_EVENTS = 50


@view("GET", rows=True)
async def bots(request: HttpRequest, host: Host | None) -> HttpResponse:
    """`?game=`, `?protocol=`, `?online=1`, `?mine=1`; the page begins after the slug `?after=`."""
    visitor, asked = await visitor_of(request), {name: request.GET.get(name, "") for name in FILTERS}
    if asked["mine"]:
        keep_private(request)
    wanted = _wanted(asked, visitor)
    now = await present(host)
    here = now.online
    online = [bot async for bot in wanted.filter(pk__in=here)[:A_PAGE]] if not asked["after"] else []
    rest = wanted.exclude(pk__in=here).filter(player__slug__gt=asked["after"])
    others = [] if asked["online"] else [bot async for bot in rest[: A_PAGE + 1]]
    shown = await _lines(now, [*online, *others[:A_PAGE]])
    context = {
        "online": shown[: len(online)],
        "others": shown[len(online) :],
        "asked": asked,
        "filtered": any(asked[name] for name in FILTERS),
        "games": options({each.slug: title(each) for each in games.variants()}, asked["game"]),
        "protocols": options(dict(protocols.choices()), asked["protocol"]),
        "builtin": _builtin(asked),
        "more": _more(asked, others[A_PAGE - 1].player.slug) if len(others) > A_PAGE else "",
    }
    return await page(request, "arena/bots.html", context)


# The strategy of each built-in player, as in games/players/level.py.
STRENGTH = {
    "random": later("Makes any move that the rules allow"),
    "beginner": later("Sees about half of the wins and threats that are one move away"),
    "casual": later("Never misses a win or a threat one move away, and looks no further"),
    "club": later("Looks a few moves ahead, and now and then does not play the best one"),
    "expert": later("Looks far ahead, and rarely does not play the best move"),
    "best": later("Plays what it can prove, and otherwise looks as far ahead as its time allows"),
}
READ_BY = {
    Bot.Wire.OWNER: later("Its owner and staff can read its wire."),
    Bot.Wire.AFTER: later("Everyone can read its wire after a match."),
    Bot.Wire.PUBLIC: later("Everyone can read its wire."),
}
ENTERED_BY = {
    Bot.OpenTo.NOBODY: later("Nobody else can enter it into events. You enter it yourself."),
    Bot.OpenTo.STAFF: later("It can be entered into events by staff."),
    Bot.OpenTo.EVERYONE: later("It can be entered into events by everyone."),
}
FILTERS = ("game", "protocol", "online", "mine", "after")
# The reason why a bot does not play, as stored in its row if its owner decided so.
BY_OWNER = "retired"
RETIRED = "retired by its owner"
REPLACED = "retired: {name} has taken its place"


@view("GET", rows=True)
async def bot(request: HttpRequest, host: Host | None, slug: str) -> HttpResponse:
    found, visitor = await bot_of(slug), await visitor_of(request)
    newest = await records.newest(found.player, visitor)
    superuser = await _superuser(request)
    mine = may_manage(visitor, found, superuser)
    now = await present(host)
    # For everybody it is found out anew whether what could not be started still cannot: it may have been mended.
    asks = found.command is not None and (mine or found.pk in now.lacking)
    lacks = await why_not_started(host, found.pk) if asks else ""
    line = {**(await _lines(now, [found]))[0], "lacking": bool(lacks)}
    left = await _left(host, found.pk) if mine else None
    versions = Bot.objects.filter(family=found.family).select_related("player").order_by("-pk")
    if mine or visitor.rooms or visitor.sees_private:
        keep_private(request)  # its own tools, or private matches in the list
    context = {
        **line,
        "owner": await _owner(found),
        "mine": mine,
        "superuser": superuser,
        "standings": await ratings.ratings_of(found.pk),
        "graph": await graph_of(found.pk, found.variant),
        "tally": records.tally(newest),
        "most": records.MOST if len(newest) == records.MOST else 0,
        "lost_by": records.lost_by(newest),
        "times": await records.reply_times(found.player),
        "opponents": records.opponents(newest),
        "versions": [other async for other in versions[:MOST_VERSIONS]],
        "why_disabled": why_disabled(found),
        "may_return": may_return(found, superuser),
        "wire_words": READ_BY[Bot.Wire(found.wire)],
        "open_to_words": ENTERED_BY[Bot.OpenTo(found.open_to)],
        "talk": how_it_talks(request, now, found),
        "stays": why_stays(found),
        "folder": folder_of(found) if superuser else None,
        "lacks": lacks if mine else "",
        "given_back": await sync_to_async(why_given_back)(found.pk, found.player.name) if asks and mine else "",
        "program": paths.PROGRAM,
        "left": left,
        "passed": await sync_to_async(passed_on)(found) if mine else "",
        "events": [entry async for entry in events_of(found)] if mine else [],
        "list": await matches_list.context(found.player, visitor, matches_list.wish_of(request)),
    }
    return await page(request, "arena/bot.html", context)


# -- found and allowed -------------------------------------------------------------------------------------------------


async def bot_of(slug: str) -> Bot:
    """The bot at this address. Raises Http404."""
    found = await Bot.objects.select_related("player", "owner").filter(player__slug=slug).afirst()
    if found is None:
        raise Http404(_("There is no bot with this name."))
    return found


async def managed(request: HttpRequest, slug: str) -> Bot:
    """The bot at this address, for its owner or a superuser. Raises Http404 for other visitors."""
    found = await bot_of(slug)
    if not await is_mine(request, found):
        raise Http404(_("This page does not exist, or it is not yours."))
    keep_private(request)
    return found


def may_manage(visitor: Visitor, found: Bot, superuser: bool) -> bool:
    return superuser or (visitor.account is not None and visitor.account == found.owner_id)


def may_return(found: Bot, superuser: bool) -> bool:
    """Whether whoever manages this bot may enable it: an owner may bring back what its owner has retired, but not what
    staff have disabled.
    """
    return found.quarantined is None and (superuser or found.why_disabled.startswith(BY_OWNER))


async def is_mine(request: HttpRequest, found: Bot) -> bool:
    """Whether this visitor may manage this bot."""
    return may_manage(await visitor_of(request), found, await _superuser(request))


async def _superuser(request: HttpRequest) -> bool:
    user = await request.auser()
    return user.is_active and user.is_superuser


# -- what is shown -----------------------------------------------------------------------------------------------------


def _wanted(asked: dict[str, str], visitor: Visitor) -> QuerySet[Bot]:
    chosen = Q(owner=visitor.account) if asked["mine"] and visitor.account is not None else Q(enabled=True)
    if asked["game"]:
        chosen &= Q(variant=asked["game"])
    if asked["protocol"]:
        chosen &= Q(protocol=asked["protocol"])
    return Bot.objects.filter(chosen).select_related("player").order_by("player__slug")


async def _lines(here: HostNow, found: Sequence[Bot]) -> list[dict[str, Any]]:
    """A row for each bot, in three queries however many there are."""
    numbers = [each.pk for each in found]
    rated = {row.player: row for row in await _ratings(found)}
    seen = await _last_matches(numbers)
    now = timezone.now()
    return [
        {
            "bot": each,
            "plays": words.title_of(each.variant),
            "online": each.pk in here.online,
            "playing": each.pk in here.playing,
            "lacking": each.pk in here.lacking,
            "rating": rated.get(each.pk),
            "seen": words.ago(max(at), now) if (at := _times(here.left.get(each.pk), seen[each.pk].at)) else "",
            "last": f"/m/{seen[each.pk].match}/" if seen[each.pk].match else "",
            "challenge": _challenge(each),
        }
        for each in found
    ]


async def _ratings(found: Sequence[Bot]) -> list[ratings.RatingRow]:
    """The rating of each bot in the variant that it plays."""
    rows = Rating.objects.filter(player__in=[each.pk for each in found], variant=F("player__bot__variant"))
    return ratings.rows([row async for row in rows.values_list(*ratings.COLUMNS)])


def _times(*times: datetime | None) -> list[datetime]:
    return [each for each in times if each is not None]


class _LastMatch(NamedTuple):
    """The newest match of a player, and when it began."""

    match: str | None
    at: datetime | None


async def _last_matches(numbers: Collection[int]) -> dict[int, _LastMatch]:
    newest = Seat.objects.filter(player=OuterRef("pk"), match__started__isnull=False).order_by("-id")
    listed = newest.filter(public("match__"))
    rows = Player.objects.filter(pk__in=numbers).annotate(
        match=Subquery(listed.values("match")[:1]), at=Subquery(listed.values("match__started")[:1])
    )
    return {pk: _LastMatch(match, at) async for pk, match, at in rows.values_list("pk", "match", "at")}


def why_disabled(found: Bot) -> str:
    """The reason in its row: staff's words unchanged, ours in the current language."""
    why = found.why_disabled
    before, after = REPLACED.split("{name}")
    if why == RETIRED:
        return _("retired by its owner")
    if why.startswith(before) and why.endswith(after):
        return _("retired: {name} has taken its place").format(name=why[len(before) : -len(after)])
    if found.quarantined is not None and why.startswith("quarantine: "):
        return _("quarantine: {number} failures in a row").format(number=IN_A_ROW)
    return why or _("disabled by staff")


def _challenge(each: Bot) -> str:
    """The form of a new room with this bot opposite."""
    side = f"{'command' if each.command is not None else 'bot'}:{each.pk}"
    return "/r/new/?" + urlencode({"variant": each.variant, "side0": "me", "side1": side})


async def _left(host: Host | None, player: int) -> dict[str, Any] | None:
    """When and why the bot was gone before it had a match; None if it is here, or has had one."""
    said = await _departure(host, player)
    return said and {**said, "card": card_words.shown(Card.from_data(said["card"]))}


@of_the_host
async def _departure(host: Host, player: int) -> dict[str, Any] | None:
    gone = departures.of(player)
    if gone is None:
        return None
    return {"at": f"{gone.at:%H:%M:%S}", "card": gone.card.to_data()}


def passed_on(found: Bot) -> str:
    """When it passed the check of its protocol as it is now, "" if it has not."""
    return str(found.passed["at"])[:10] if found.passed is not None and passes.has_passed(found) else ""


async def _owner(found: Bot) -> Player | None:
    if found.owner_id is None:
        return None
    return await Player.objects.filter(user=found.owner_id, kind=Player.Kind.PERSON).afirst()


def events_of(found: Bot) -> QuerySet[Entry]:
    """The unfinished events that it is entered in, and by whom, for its owner. Drafts stay private."""
    over = (Tournament.State.DRAFT, Tournament.State.FINISHED)
    entries = Entry.objects.filter(player=found.pk, withdrawn=None).exclude(tournament__state__in=over)
    return entries.select_related("tournament").order_by("-pk")[:MOST_EVENTS]


def how_it_talks(request: HttpRequest, here: HostNow, found: Bot) -> dict[str, Any]:
    """Where this bot connects on the running server."""
    adapter = protocols.protocol(found.protocol)
    return {
        "title": adapter.title,
        "slug": found.protocol,
        "host": connecting.host_of(request),
        "port": here.doors.get(found.protocol),
        "listen": connecting.listen_of(found.protocol),
        "own_port": found.port,
        "own_ports": _("Port from {first} to {last}, empty for none").format(
            first=settings.ARENA_BOT_PORTS[0], last=settings.ARENA_BOT_PORTS[-1]
        ),
        "ports_of_one": tokens.PORTS_OF_ONE,
        "socket": adapter.websocket,
        "websocket": f"{'wss' if request.is_secure() else 'ws'}://{request.get_host()}{socket_path(found.protocol)}",
    }


def _builtin(asked: dict[str, str]) -> list[dict[str, str]]:
    """The built-in players, unless the list shows one person's bots or one protocol."""
    if any(asked[name] for name in FILTERS if name not in ("game", "online")):
        return []
    chosen = {"game": asked["game"]} if asked["game"] in games.slugs() else {}
    return [
        {
            "title": words.level_name(name),
            "strength": str(STRENGTH[name]),
            "play": "/?" + urlencode({**chosen, "level": name}),
        }
        for name in LEVELS
    ]


def _more(asked: dict[str, str], slug: str) -> str:
    return "?" + urlencode({name: value for name, value in {**asked, "after": slug}.items() if value})
