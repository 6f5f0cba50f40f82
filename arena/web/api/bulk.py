"""`/api/bulk/matches/`: many finished matches at once, one JSON object a line, for programs that learn from them."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Sequence

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.web.api.answers import api
from arena.web.api.api import OF_MATCHES, public_matches
from arena.web.api.query import Query, next_address
from arena.web.api.streams import NOBODY, StreamSlot, streamed
from arena.web.match import analysis
from arena.web.match import stored as rows
from arena.web.match.logs import log_json
from arena.web.match.matches import wired_seats
from arena.web.match.permissions import may_see, why_private
from arena.web.match.wire_panel import jsonl_of

log = logging.getLogger("arena.web")

OF_ENDED = {name: parameter for name, parameter in OF_MATCHES.items() if name != "state"}


@api(rows=True, parameters=OF_ENDED)
async def matches(request: HttpRequest, host: Host | None, wish: Query) -> HttpResponseBase:
    """Public matches, from 10 s after their end, with moves and public wires: one JSON object a line, newest first."""
    stored = (await public_matches(wish)).filter(ended__lte=timezone.now() - rows.WIRES_WITHIN)
    newest = stored.order_by("-pk").values_list("pk", flat=True)
    found = [number async for number in newest[: wish.limit + 1]]
    some = found[: wish.limit]
    answer = streamed(request, lambda slot: _lines(host, some, slot))
    answer.bulk = True  # type: ignore[attr-defined]
    if len(found) > len(some):
        answer["Link"] = f'<{next_address(request, "before", some[-1])}>; rel="next"'
    return answer


async def _lines(host: Host | None, numbers: Sequence[str], slot: StreamSlot) -> AsyncIterator[str]:
    """One match at a time: others are answered between two, and nothing is kept."""
    try:
        for number in numbers:
            if said := await _match(host, number):
                yield said
    finally:
        slot.give_back()


async def _match(host: Host | None, number: str) -> str | None:
    """The line of the match: as at its own address, with its wires. None if it was removed or hidden meanwhile."""
    try:
        live = await rows.in_rows(number)
        if live is None or not await may_see(live, NOBODY):
            return None
        await analysis.look_up(live)
        wires = [await _wire(host, live, seat) for seat in (0, 1)]
    except (LookupError, ValueError) as why:  # of a game that is gone, or damaged
        log.error("match %s is left out of a bulk answer: %s", number, why)
        return None
    page = {"head": await rows.stored_head(live), "page": f"/m/{number}/"}
    said = json.dumps({**log_json(live), **page}, ensure_ascii=False)
    return f'{said.removesuffix("}")}, "wires": [{", ".join(wires)}]}}\n'


async def _wire(host: Host | None, live: LiveMatch, seat: int) -> str:
    """What went over the connection of this seat, as JSON; null if it has none, or it is not public."""
    if seat not in (wired for wired, _, _ in wired_seats(live)) or await why_private(live, seat, NOBODY):
        return "null"
    jsonl = await jsonl_of(host, live, seat)
    return "[" + jsonl.removesuffix("\n").replace("\n", ", ") + "]"
