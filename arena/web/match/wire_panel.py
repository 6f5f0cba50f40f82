"""The wire on the match page: its newest rows, those before them, and frames of new ones."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from arena.bots.session.wire_store import stored_wire
from arena.core.hub import LiveMatch
from arena.host import Host, NoHost
from arena.web.guests import visitor_of
from arena.web.match.permissions import why_private
from arena.web.match.stored import holds_wires
from arena.web.match.wire_rows import WireRow, rows_of
from arena.web.privacy import keep_private

MOST_ROWS = 300


async def panel(request: HttpRequest, host: Host | None, live: LiveMatch, seat: int) -> SafeString:
    """The inside of a wire's card for this visitor: rows, or the sentence that says why there are none."""
    if private := await why_private(live, seat, await visitor_of(request)):
        return render_to_string("arena/fragments/wire.html", {"private": private}, request)
    keep_private(request)
    found = await some(host, live, seat, before(request))
    wanted = request.GET.get("filter", "all")
    context = {
        "name": live.state.setup.seats[seat].name,
        "seat": seat,
        "match": live.id,
        "rows": list_rows(found, live),
        "earlier": found[0].n if found and found[0].n > 1 else None,
        "live": not live.over,
        "filter": wanted if wanted in ("errors", "moves") else "all",
    }
    return render_to_string("arena/fragments/wire.html", context, request)


def list_rows(every: Iterable[WireRow], live: LiveMatch) -> SafeString:
    """Rows of the list: the same text for a page, for `earlier` and for a frame of the wire's socket."""
    text: SafeString = render_to_string(
        "arena/fragments/wire_rows.html", {"rows": every, "match": live.id, "plies": live.state.position.ply}
    )
    return text


def frame(seat: int, every: list[WireRow], live: LiveMatch) -> SafeString:
    """New rows for people who read along."""
    return mark_safe(f'<div hx-swap-oob="beforeend:#wire-{seat}">{list_rows(every, live)}</div>')


async def some(host: Host | None, live: LiveMatch, seat: int, before: int) -> list[WireRow]:
    """At most `MOST_ROWS` rows, the newest before the row `before`, 0 for the newest of all."""
    jsonl = await jsonl_of(host, live, seat)
    every = await asyncio.to_thread(lambda: list(rows_of(jsonl.splitlines())))
    end = before - 1 if before else len(every)
    return every[max(0, end - MOST_ROWS) : max(0, end)]


async def jsonl_of(host: Host | None, live: LiveMatch, seat: int) -> str:
    """A seat's whole wire as JSON lines; without the host, the stored part. Raises NoHost while it is being written."""
    if host is None and not holds_wires(live):
        raise NoHost("what has gone over this connection is not all stored yet")
    return await (sync_to_async(stored_wire)(live.id, seat) if host is None else host.wires.read(live, seat))


def before(request: HttpRequest) -> int:
    """The row that is asked for those before it, 0 if the newest are."""
    text = request.GET.get("before", "")
    return int(text) if re.fullmatch(r"[0-9]{1,7}", text) else 0
