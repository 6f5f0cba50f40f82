"""Atom feeds for news readers: finished public matches, tournaments, and the results of one tournament.

Feeds are English for every reader, as files are: a program fetches them for many people.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.feedgenerator import Atom1Feed, get_tag_uri
from django.utils.html import escape

from arena.common.names import printable
from arena.match.commands import Refusal
from arena.models import Tournament
from arena.web.api.answers import unless_known
from arena.web.languages import USUAL
from arena.web.library import archive
from arena.web.limits import Limit
from arena.web.privacy import keep_private
from arena.web.tournaments.tournaments import found
from arena.web.views import view
from arena.web.words import title_of

A_FEED = 30
FEEDS = Limit("feeds", 60, 1)
State = Tournament.State
NEWS = {
    State.WAITING: "open for entries",
    State.RUNNING: "running",
    State.PAUSED: "paused",
    State.FINISHED: "finished",
}


class News(NamedTuple):
    """An entry of a feed. A new `state` makes it a new entry, which readers show again."""

    title: str
    address: str
    says: str
    at: datetime
    state: str = ""


@view("GET", hosted=False)
async def matches(request: HttpRequest) -> HttpResponse:
    """The newest page of `/matches/`, with the same filters."""
    FEEDS.check(request)
    form = archive.ArchiveFilter(request.GET)
    if not await sync_to_async(form.is_valid)():
        name, (wrong, *_) = next(iter(form.errors.items()))
        raise Refusal("invalid_form", f"{form.fields[name].label}: {wrong}")
    wanted = {name: value for name, value in form.data.items() if name in form.fields and value}
    page = "/matches/" + ("?" + urlencode(wanted) if wanted else "")
    with translation.override(USUAL):
        rows = (await sync_to_async(archive.page_of)(form.cleaned_data, "")).rows
        return _feed(request, "Finished matches", page, map(_played, rows))


@view("GET", hosted=False)
async def tournaments(request: HttpRequest) -> HttpResponse:
    """Tournaments, newest first, without drafts."""
    FEEDS.check(request)
    newest = Tournament.objects.listed().filter(state__in=NEWS).order_by("-pk")[:A_FEED]
    with translation.override(USUAL):
        return _feed(request, "Tournaments", "/t/", [_event(row) async for row in newest])


@view("GET", hosted=False)
async def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The finished matches of one tournament, newest first, and its end."""
    FEEDS.check(request)
    sheet, _ = await found(request, slug)
    event = sheet.tournament
    if event.state == State.DRAFT:
        keep_private(request)
    with translation.override(USUAL):
        news = [_played(row) for row in await sync_to_async(archive.of_event)(event)]
        if event.finished is not None:
            news.insert(0, _event(event))
        return _feed(request, f"Results of {event.name}", f"/t/{event.slug}/", news)


def _played(row: dict[str, Any]) -> News:
    """A row of the archive."""
    moves = "1 move" if row["plies"] == 1 else f"{row['plies']} moves"
    says = f"{row['title']}{'' if row['counted'] else ', not counted'}: {row['reason']}, {moves}"
    words = f"{row['one']['name']} {row['joined']} {row['other']['name']}"
    return News(words, row["address"], says, row["changed"])


def _event(row: Tournament) -> News:
    at = {State.WAITING: row.created, State.FINISHED: row.finished}.get(State(row.state), row.started) or row.created
    words = NEWS[State(row.state)]
    says = f"{title_of(row.variant)}, {row.get_format_display()}, {words}"
    return News(f"{row.name}: {words}", f"/t/{row.slug}/", says, at, row.state)


class _Feed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        """A feed without entries has never changed, so a client that has it gets no other one every second."""
        return super().latest_post_date() if self.num_items() else datetime.fromtimestamp(0, UTC)


def _feed(request: HttpRequest, title: str, page: str, news: Iterable[News]) -> HttpResponse:
    """The feed of these entries, or 304 for a client that has it already."""
    whole = request.build_absolute_uri
    feed = _Feed(f"{title} · Arena", whole(page), "", language="en", feed_url=whole())
    for each in news:
        link = whole(each.address)
        number = get_tag_uri(link + (f"#{each.state}" if each.state else ""), None)
        says = escape(printable(each.says))  # read as HTML, unlike the title
        feed.add_item(printable(each.title), link, says, unique_id=number, updateddate=each.at)
    return unless_known(request, feed.writeString("utf-8").encode(), feed.content_type)
