"""Pages of tournaments as they change: each is rendered once for all readers, in a thread, at most twice a second, when
a cheap query or the matches in memory say that something is new.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from functools import lru_cache
from typing import Any, NamedTuple

from channels.db import database_sync_to_async
from django.db.models import Count
from django.template.loader import render_to_string
from django.utils import translation

from arena import paths
from arena.bots.process import starting
from arena.bots.session import tokens
from arena.host import Host
from arena.models import Bot, Entry, Match, Ruling, Tournament
from arena.tournaments import needed, players
from arena.tournaments.sheet import Sheet, sheet_of
from arena.tournaments.slots import stranded_without_lender
from arena.tournaments.tiebreaks import TIE_BREAKS
from arena.web import languages
from arena.web.elsewhere import of_the_host
from arena.web.lobby import showcase
from arena.web.lobby.feed import EVERY_S, Feed, FeedReader
from arena.web.tournaments.shown import score_between, shown

log = logging.getLogger("arena.web")

MOST_RUNNING, MOST_LACKING = 6, 20
# The states in which an event has not begun.
EARLY = (Tournament.State.DRAFT, Tournament.State.WAITING)

_render = database_sync_to_async(render_to_string, thread_sensitive=False)


class TournamentNews(NamedTuple):
    """Numbers that grow when anything about a tournament changes."""

    version: int
    matches: int
    ended: int
    rulings: int


class Seen(NamedTuple):
    """A tournament as it was read, and the news before that reading."""

    news: TournamentNews
    sheet: Sheet


def news_of(slug: str) -> TournamentNews | None:
    """Three small queries; None if there is no such tournament."""
    found = Tournament.objects.filter(slug=slug).values_list("pk", "version").first()
    if found is None:
        return None
    number, version = found
    counted = Match.objects.filter(pairing__tournament=number).aggregate(all=Count("pk"), over=Count("ended"))
    ruled = Ruling.objects.filter(match__pairing__tournament=number).count()
    return TournamentNews(version, counted["all"], counted["over"], ruled)


def _read(slug: str, before: Seen | None) -> Seen | None:
    """The tournament as it is now; `before` itself if nothing is new."""
    news = news_of(slug)
    if news is None or (before is not None and before.news == news):
        return before if news is not None else None
    tournament = Tournament.objects.select_related("organiser").filter(slug=slug).first()
    return None if tournament is None else Seen(news, sheet_of(tournament))


def view_of(slug: str, tie_break: str = "") -> str:
    """The name of a view of a tournament: its slug and, if one is shown first, the tie-break."""
    return f"{slug} {tie_break}" if tie_break in TIE_BREAKS else slug


def _is_public(slug: str) -> bool:
    """Whether everybody may see it: it exists and is not a draft."""
    return Tournament.objects.filter(slug=slug).exclude(state=Tournament.State.DRAFT).exists()


is_public = database_sync_to_async(_is_public, thread_sensitive=False)
read = database_sync_to_async(_read, thread_sensitive=False)


def context(now: dict[str, Any], sheet: Sheet, tie_break: str = "") -> dict[str, Any]:
    """The context of `tournament_live.html`: the rows, and the matches and calls of this moment (`now`)."""
    names = sheet.names
    called = [
        (", ".join(names[pk] for pk in missing if pk in names), room if _sits_down(sheet, missing) else "")
        for missing, room in now["calls"]
    ]
    # A host of an earlier version does not say what is asked for by `get`.
    found = shown(sheet, frozenset(now["online"]), now.get("not_starting", ()), tie_break)
    lives = [{**live, "score": score_between(sheet, live["id"])} for live in now["lives"]]
    is_running = sheet.tournament.state == Tournament.State.RUNNING
    lacking = now.get("lacking", []) if is_running else []
    told = {
        "at_play": needed.kept_elsewhere(sheet, now.get("at_play", [])) if is_running else [],
        "stranded": now["stranded"],
        "lacking": lacking,
        "machines": needed.machines(sheet),
        "program": paths.PROGRAM,
    }
    return {**found, "lives": lives, "called": called, **told}


def _sits_down(sheet: Sheet, missing: Collection[int]) -> bool:
    """Whether a person is among these: bots come by themselves."""
    return any(pk in sheet.entries and sheet.entries[pk].kind == Entry.Kind.PERSON for pk in missing)


async def now_at(host: Host | None, sheet: Sheet) -> dict[str, Any]:
    """The running matches, the calls and the connected bots of this moment."""
    return await _now(host, *_asked(sheet))


def _asked(sheet: Sheet) -> tuple[list[str], int, str]:
    running = [line.match.id for line in sheet.lines if line.status == "running" and line.match is not None]
    return running, sheet.tournament.pk, needed.machines(sheet)


@of_the_host
async def _now(host: Host, running: list[str], tournament: int, machines: str) -> dict[str, Any]:
    return _at_this_moment(host, running, tournament, machines)


def _at_this_moment(host: Host, running: list[str], tournament: int, machines: str) -> dict[str, Any]:
    lives = [live for match in running if (live := host.hub.get(match)) is not None]
    calls = host.director.calls(tournament) if host.director is not None else []
    lacking = host.director.lacking(tournament) if host.director is not None else []
    slots = host.director.slots if host.director is not None else None
    stranded = slots.stranded(tournament, machines) if slots is not None else stranded_without_lender(machines)
    return {
        "stranded": {} if stranded is None else {"want": str(stranded.want), "words": stranded.words},
        "lacking": lacking[:MOST_LACKING],
        "at_play": sorted(needed.players_of(live for live in host.hub.running() if live.id not in running)),
        "online": list(tokens.players()),
        "not_starting": list(starting.lacking()),
        "lives": [showcase.mini(live) for live in lives[:MOST_RUNNING]],
        "calls": [(list(call.missing), call.room) for call in calls[:MOST_RUNNING]],
    }


class TournamentFeed(Feed):
    """The views of tournaments (`view_of`, in a language)."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._seen: dict[str, Seen] = {}
        self._contexts: dict[str, Any] = {}

    def view(self, reader: FeedReader, name: str) -> None:
        super().view(reader, name)
        self._say_what_is_watched()

    def unview(self, reader: FeedReader, name: str) -> None:
        super().unview(reader, name)
        if name not in self._readers:
            self._seen.pop(name, None)
            self._contexts.pop(name, None)
        self._say_what_is_watched()

    def _say_what_is_watched(self) -> None:
        """Report which events are being watched: their matches are played where each move can be seen."""
        if self.host.director is not None:
            self.host.director.watch({languages.view_of(name)[0].partition(" ")[0] for name in self._readers})

    async def _go_on(self) -> None:
        while self._readers:
            for name in list(self._readers):
                try:
                    await self._look(name)
                except Exception:
                    log.exception("the tournament %s could not be rendered", name)
            await asyncio.sleep(EVERY_S)

    async def _look(self, name: str) -> None:
        view, language = languages.view_of(name)
        slug, _, tie_break = view.partition(" ")
        seen = await read(slug, self._seen.get(name))
        if seen is None or name not in self._readers:
            return
        with translation.override(language):
            now = context(_at_this_moment(self.host, *_asked(seen.sheet)), seen.sheet, tie_break)
        if seen is self._seen.get(name) and now == self._contexts.get(name):
            return
        self._seen[name], self._contexts[name] = seen, now
        with translation.override(language):  # the thread begins in the current language
            text = await _render("arena/tournament_live.html", {**now, "oob": True})
        self._tell(name, text)


@lru_cache(maxsize=1)
def of(host: Host) -> TournamentFeed:
    """The feed of this host; that of an earlier one is dropped."""
    return TournamentFeed(host)


async def cannot_start(host: Host | None, sheet: Sheet) -> list[str]:
    """The names of the bots that this server runs for an event and cannot start, found out before it begins; later the
    director finds that out. Takes seconds for what is new.
    """
    if sheet.tournament.state not in EARLY:
        return []
    bots = {bot.pk: entry.name for entry in sheet.entries.values() if (bot := players.run_here(entry)) is not None}
    return [bots[pk] for pk in await _not_starting(host, list(bots))] if bots else []


@of_the_host
async def _not_starting(host: Host, bots: list[int]) -> list[int]:
    found = [bot async for bot in Bot.objects.filter(pk__in=bots).select_related("player").order_by("player__name")]
    return await asyncio.to_thread(lambda: [bot.pk for bot in found if starting.look(bot)])
