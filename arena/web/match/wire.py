"""The traffic of a bot's connection, for those who may read it: JSON lines, text for people, rows on the match page."""

from __future__ import annotations

import asyncio

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from arena.bots.replaying.boxing import black_box_of
from arena.core.hub import LiveMatch
from arena.host import Host, NoHost
from arena.match.commands import Refusal
from arena.web.match import thoughts_panel, wire_panel
from arena.web.match.matches import live_of, wired_seats
from arena.web.match.permissions import why_private
from arena.web.match.stored import holds_wires
from arena.web.match.wire_rows import rows_of, wire_text
from arena.web.privacy import keep_private
from arena.web.views import is_by_htmx, view


@view("GET", rows=True)
async def as_jsonl(request: HttpRequest, host: Host | None, match: str, seat: int) -> HttpResponse:
    live = await _readable(request, host, match, seat)
    return _download(await wire_panel.jsonl_of(host, live, seat), "application/jsonl", f"arena-{live.id}-s{seat}.jsonl")


@view("GET", rows=True)
async def as_text(request: HttpRequest, host: Host | None, match: str, seat: int) -> HttpResponse:
    live = await _readable(request, host, match, seat)
    jsonl = await wire_panel.jsonl_of(host, live, seat)
    text = await asyncio.to_thread(lambda: wire_text(live, seat, rows_of(jsonl.splitlines())))
    return _download(text, "text/plain", f"arena-{live.id}-s{seat}.txt")


@view("GET", rows=True)
async def rows(request: HttpRequest, host: Host | None, match: str, seat: int) -> HttpResponse:
    """The rows before the row `before`, or the newest, as a part of the match page; where they are private, why."""
    try:
        live = await _readable(request, host, match, seat)
    except Refusal as refusal:
        return render(request, "arena/fragments/wire.html", {"private": refusal.sentence})
    before = wire_panel.before(request)
    if before and is_by_htmx(request):
        return HttpResponse(wire_panel.list_rows(await wire_panel.some(host, live, seat, before), live))
    return HttpResponse(await wire_panel.panel(request, host, live, seat))


@view("GET", rows=True)
async def thoughts(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """What the bots think at the position that the asking page shows, as a part of it."""
    live, _ = await live_of(request, host, match)
    if not (wired := wired_seats(live)):
        raise Http404("There are no thoughts: only bots that come over a connection have a log.")
    return HttpResponse(await thoughts_panel.panel(request, host, live, wired))


@view("GET", rows=True)
async def as_black_box(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """Everything needed to replay the match, for visitors who may read both wires."""
    live, visitor = await live_of(request, host, match)
    if live.state.phase != "ended":
        raise Http404("A match has a black box once it is over.")
    for seat, _, _ in wired_seats(live):
        if private := await why_private(live, seat, visitor):
            raise Refusal("private", private)
    keep_private(request)
    if host is None and not holds_wires(live):
        raise NoHost("what has gone over these connections is not all stored yet")
    if host is not None:
        await host.wires.flush([live])
    try:
        text = await sync_to_async(black_box_of)(live.id)
    except ValueError as why:
        raise Http404(f"There is no black box of this match: {why}.") from None
    return _download(text, "application/x-ndjson", f"arena-{live.id}.black-box.jsonl")


async def _readable(request: HttpRequest, host: Host | None, match: str, seat: int) -> LiveMatch:
    """The match. Raises Http404 if it has no such wire, Refusal where this visitor may not read it (yet)."""
    live, visitor = await live_of(request, host, match)
    if seat not in (number for number, _, _ in wired_seats(live)):
        raise Http404("There is no such bot log: only bots that come over a connection have one.")
    if private := await why_private(live, seat, visitor):
        raise Refusal("private", private)
    keep_private(request)
    return live


def _download(text: str, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response
