"""What bots think, on the match page: for who may read their wires, at the position that is looked at.

While a match runs nothing is asked before the card is opened: it then looks again by itself, as long as it is seen.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from arena.bots.session.thoughts import BotThought, by_turn
from arena.bots.session.wire_store import stored_messages
from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.host import Host, NoHost
from arena.web.guests import Visitor, visitor_of
from arena.web.match.fragments import SEATS
from arena.web.match.permissions import why_private
from arena.web.match.stored import holds_wires
from arena.web.privacy import keep_private
from arena.web.tongue import decimal_separator
from arena.web.words import colour

# How soon an open card looks again, in seconds; later where no bot has said anything.
LOOK_S, IDLE_S = 2, 10

# Seat, name and protocol.
Wired = Sequence[tuple[int, str, str]]


class ShownThought(NamedTuple):
    """A thought beside its bot, in the reader's language."""

    disc: SafeString
    colour: str
    name: str
    thought: BotThought

    @classmethod
    def of(cls, seat: int, name: str, thought: BotThought) -> ShownThought:
        evaluation = thought.evaluation.replace(".", decimal_separator())
        return cls(SEATS[seat], colour(seat), name, thought._replace(evaluation=evaluation))


async def card(request: HttpRequest, host: Host | None, live: LiveMatch, wired: Wired, ply: int | None) -> SafeString:
    """The card on the page; none if this visitor may read no wire, or nobody thought aloud in a match that is over."""
    visitor = await visitor_of(request)
    readable = [each for each in wired if not await why_private(live, each[0], visitor)]
    if not readable:
        return SafeString()
    inner = SafeString()
    if live.over and (host is not None or holds_wires(live)):
        thoughts = await _thoughts(host, live, readable, ply)
        if not any(thoughts):
            return SafeString()
        if any([await why_private(live, seat, Visitor()) for seat, _, _ in readable]):
            keep_private(request)
        inner = _shown(live, readable, thoughts, ply)
    return render_to_string("arena/fragments/thoughts_card.html", {"match": live.id, "inner": inner})


async def panel(request: HttpRequest, host: Host | None, live: LiveMatch, wired: Wired) -> SafeString:
    """The inside of the card for this visitor, at the position that the asking page shows."""
    keep_private(request)
    visitor = await visitor_of(request)
    private = {seat: await why_private(live, seat, visitor) for seat, _, _ in wired}
    if all(private.values()):
        return render_to_string("arena/fragments/wire.html", {"private": next(iter(private.values()))})
    readable = [each for each in wired if not private[each[0]]]
    ply = whole_number(QueryDict(urlsplit(request.headers.get("HX-Current-URL", "")).query).get("ply", ""))
    return _shown(live, readable, await _thoughts(host, live, readable, ply), ply)


async def _thoughts(
    host: Host | None, live: LiveMatch, readable: Wired, ply: int | None
) -> list[dict[int, BotThought]]:
    """The thoughts of each bot by their turns, among them those at this position: of a running match the newest are in
    memory. Raises NoHost for a match of which the host may know more.
    """
    if host is None and not holds_wires(live):
        raise NoHost("what has gone over these connections is not all stored yet")
    seats = [seat for seat, _, _ in readable]
    if host is not None and not live.over and _is_newest(live, ply):
        recent = [wire.recent() if (wire := live.wires[seat]) is not None else () for seat in seats]
        return await asyncio.to_thread(lambda: [by_turn(messages) for messages in recent])
    if host is not None:
        await host.wires.flush([live])
    return await sync_to_async(lambda: [_stored(live.id, seat) for seat in seats])()


def _stored(match: str, seat: int) -> dict[int, BotThought]:
    try:
        return by_turn(stored_messages(match, seat))
    except ValueError:  # the wire of an earlier release, or one that cannot be read
        return {}


def _shown(live: LiveMatch, readable: Wired, thoughts: list[dict[int, BotThought]], ply: int | None) -> SafeString:
    """The last thought of each bot: of its last turn, and at the newest position of the one that has begun."""
    at, most = (live.state.position.ply, math.inf) if _is_newest(live, ply) or ply is None else (ply, ply)
    shown = [
        ShownThought.of(seat, name, said[max(turns)])
        for (seat, name, _), said in zip(readable, thoughts, strict=True)
        if (turns := [turn for turn in said if at - 1 <= turn <= most])
    ]
    again = None if live.over else LOOK_S if shown else IDLE_S
    context = {"match": live.id, "thoughts": shown, "again": again}
    return render_to_string("arena/fragments/thoughts.html", context)


def _is_newest(live: LiveMatch, ply: int | None) -> bool:
    return ply is None or ply >= live.state.position.ply
