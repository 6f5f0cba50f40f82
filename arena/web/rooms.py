"""A room's page: who sits, the link to share, the lines a bot sends to come in, and the matches played here.

Looking seats nobody, because programs that preview links look as well: sitting down is a POST.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django_htmx.http import HttpResponseClientRedirect

import games
from arena.host import Host
from arena.hub import Live
from arena.match.clock import parse_clock
from arena.match.commands import Refusal
from arena.match.endings import result
from arena.match.series import seat_of
from arena.models import Match, Room
from arena.people import Person
from arena.protocols import protocols
from arena.rooms import LiveRoom
from arena.web import fragments, frames
from arena.web.guests import Visitor, keep_room, player_of, seat_setup, visitor_of
from arena.web.limits import Limit
from arena.web.matches import clock_words
from arena.web.showcase import rounds_words
from arena.web.views import page, view

NO_ROOM = "There is no such room. Its link may be misspelt."
MOST_MATCHES = 40
# What people choose from; a bot that opens a room brings the clock of its protocol.
CLOCKS = ("none", "5s", "move:30s", "2m", "5m")
ROUNDS = (1, 2, 4)
NEW_ROOMS = Limit("new rooms", 6, 1 / 30)


@view("GET")
async def room(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    row = await _row(code)
    if row.private:
        await keep_room(request, row.code)
    return await page(request, "arena/room.html", await _context(request, host, row))


@view("GET")
async def state(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """What changes on the page, asked for each second while it waits. Who sits is taken to the match."""
    row = await _row(code)
    live = _running(host.lobby.rooms.get(row.code))
    visitor = await visitor_of(request)
    if live is not None and frames.audience_of(live, visitor.player):
        address = f"/m/{live.id}/"
        return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)
    if not request.htmx:
        return HttpResponseRedirect(row.get_absolute_url())
    return await page(request, "arena/fragments/room_state.html", await _context(request, host, row))


@view("POST")
async def sit(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """Take a free side, and go to the match if that makes two."""
    await _row(code)
    found = await host.lobby.find(code)
    if found is None:
        raise Http404(NO_ROOM)
    return await seated(request, host, found)


@view("POST")
async def leave(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """Give the side back, as long as no match runs."""
    row, visitor = await _row(code), await visitor_of(request)
    found = host.lobby.rooms.get(row.code)
    if found is not None and _running(found) is not None:
        raise Refusal("running", "The match runs. Resign it if you want to leave.")
    for occupant in list(found.sides) if found else ():
        if found and isinstance(occupant, Person) and occupant.setup.player == visitor.player:
            found.stand(occupant)
    return HttpResponseRedirect(row.get_absolute_url())


@view("GET", "POST")
async def new(request: HttpRequest, host: Host) -> HttpResponse:
    """A room of one's own: whoever makes it sits in it and has a link to share."""
    if request.method != "POST":
        return await _form(request, request.GET.get("variant", ""))
    try:
        fields = _fields(request.POST.dict())
    except Refusal as refusal:
        return await _form(request, request.POST.get("variant", ""), refusal)
    NEW_ROOMS.check(request)
    return await seated(request, host, await host.lobby.open_new(fields))


async def seated(request: HttpRequest, host: Host, room: LiveRoom, side: int | None = None) -> HttpResponse:
    """Seat the visitor, and lead to the match if that makes two, else to the room. Raises Refusal when it is full."""
    player = await player_of(request)
    host.lobby.sit_down(room, seat_setup(request, player), side)
    await room.begin()
    live = _running(room)
    if live is not None and frames.audience_of(live, player.pk):
        return HttpResponseRedirect(f"/m/{live.id}/")
    return HttpResponseRedirect(f"/r/{room.plan.code}/")


async def _form(request: HttpRequest, chosen: str, refusal: Refusal | None = None) -> HttpResponse:
    context = {
        "variants": [
            {"slug": variant.slug, "title": variant.title, "current": variant.slug == chosen or (not chosen and not n)}
            for n, variant in enumerate(games.variants())
        ],
        "clocks": [{"value": text, "words": clock_words(parse_clock(text)) or "No clock"} for text in CLOCKS],
        "rounds": ROUNDS,
        "refusal": refusal.sentence if refusal else "",
    }
    return await page(request, "arena/new_room.html", context, 422 if refusal else 200)


def _fields(form: dict[str, str]) -> dict[str, Any]:
    """The room's row as the form asks for it. Raises Refusal."""
    variant, clock, rounds = form.get("variant", ""), form.get("clock", "none"), form.get("rounds", "1")
    if variant not in (known.slug for known in games.variants()):
        raise Refusal("invalid_form", f"Received the game {variant[:40]!r}, expected one of the list.")
    if clock not in CLOCKS:
        raise Refusal("invalid_form", f"Received the clock {clock[:20]!r}, expected {', '.join(CLOCKS)}.")
    if rounds not in (str(number) for number in ROUNDS):
        raise Refusal("invalid_form", f"Received {rounds[:20]!r} rounds, expected {', '.join(map(str, ROUNDS))}.")
    return {"variant": variant, "clock": clock, "rounds": int(rounds)}


# -- what the page shows -----------------------------------------------------------------------------------------------


async def _row(code: str) -> Room:
    row = await Room.objects.filter(code=code.upper()).afirst()
    if row is None:
        raise Http404(NO_ROOM)
    return row


async def _context(request: HttpRequest, host: Host, row: Room) -> dict[str, Any]:
    found, visitor = host.lobby.rooms.get(row.code), await visitor_of(request)
    if found is not None and found.over:
        found = None  # whoever sits down begins a new series
    sides = [_side(found, side, visitor) for side in (0, 1)]
    live = _running(found)
    matches = Match.objects.filter(room=row).prefetch_related("seats").order_by("-series", "-round", "-opened")
    return {
        "room": row,
        "variant": games.variant(row.variant),
        "clock": clock_words(parse_clock(row.clock)) or "no clock",
        "rounds_words": rounds_words(row.rounds),
        "link": request.build_absolute_uri(row.get_absolute_url()),
        "sides": sides,
        "seated": any(side["you"] for side in sides),
        "full": all(side["name"] for side in sides),
        "live": live and {"address": f"/m/{live.id}/", "names": [seat.name for seat in live.state.setup.seats]},
        "doors": _doors(request, host, row),
        "matches": [_match(match) async for match in matches[:MOST_MATCHES]],
    }


def _side(room: LiveRoom | None, side: int, visitor: Visitor) -> dict[str, Any]:
    """One side: its disc is that of its seat in the round that comes next."""
    occupant = room.sides[side] if room else None
    seat = seat_of(side, room.round if room else 1)
    setup = occupant.setup if occupant else None
    return {
        "disc": fragments.SEATS[seat],
        "first": seat == 0,
        "name": setup.name if setup else "",
        "tag": {"bot": "bot", "builtin": "built in"}.get(setup.kind, "") if setup else "",
        "ready": occupant is not None and occupant.ready,
        "you": setup is not None and setup.player is not None and setup.player == visitor.player,
    }


def _running(room: LiveRoom | None) -> Live | None:
    return room.live if room is not None and room.live is not None and not room.live.over else None


def _doors(request: HttpRequest, host: Host, row: Room) -> list[dict[str, Any]]:
    """How a bot comes into this room by its code: protocols whose bots name their room, on a door that is open."""
    name = settings.ARENA_PUBLIC_HOST or request.get_host().rsplit(":", 1)[0]
    return [
        {"title": adapter.title, "host": name, "port": host.doors[slug].port, "join": f"JOIN {row.shown_code}"}
        for slug, adapter in protocols().items()
        if adapter.joins and slug in host.doors and (not adapter.variants or row.variant in adapter.variants)
    ]


def _match(match: Match) -> dict[str, Any]:
    names = {seat.seat: seat.name for seat in match.seats.all()}
    words = f"{names.get(0, '')} against {names.get(1, '')}"
    ended = f"{result(match.winner, match.termination)}, {match.reason}" if match.ended else "running"
    return {"round": match.round, "address": match.get_absolute_url(), "words": f"{words}: {ended}", "current": False}
