"""A room's page: the players, the link to share, how a bot gets in, and the matches played here.

Looking at it seats nobody, because programs that preview links look as well: sitting down is a POST.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

import games
from arena.bots.seats.choices import Opener
from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.clock import parse_clock
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.models import Match, Room, Seat
from arena.protocols import plays, protocol, protocols
from arena.rooms import closing, rematch
from arena.rooms.people import Person
from arena.rooms.reservation import bare, why_no_side
from arena.rooms.room import LiveRoom
from arena.rooms.room_quota import TooManyRooms
from arena.rooms.visits import arrive, ask
from arena.web import guests
from arena.web.guests import Visitor, keep_room, player_of, seat_setup, visitor_of
from arena.web.host_names import origin_for_others
from arena.web.library import connecting
from arena.web.limits import address_of
from arena.web.match.rounds import line_of
from arena.web.present import present
from arena.web.privacy import keep_private
from arena.web.room import form as room_form
from arena.web.room import form_page
from arena.web.room import state as room_state
from arena.web.room.invitation import invitation
from arena.web.room.state import running
from arena.web.views import is_by_htmx, page, view
from arena.web.words import clock_words, held_words, parted, rounds_words, spoken, title

NO_ROOM = gettext_lazy(
    "There is no such room. Its link may be misspelt, or nobody has opened it yet: it opens with its first player."
)
CLOSED = gettext_noop("Nobody can sit down in this room any more: open a new one to play.")
MOST_MATCHES = 40
# Who has no player yet.
NEWCOMER = SeatSetup(name="", kind="human")
SHARED = re.compile("[a-z0-9]{1,10}")


@view("GET")
async def room(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """With `match` it leads to that match: anybody who is given a link to a match of a private room can use it. With
    `watch` it is the page of somebody who waits for a match to watch, and leads there while one runs.
    """
    row = await row_of(code)
    if row.private:
        keep_private(request)
        await keep_room(request, row.code)
    if asked := SHARED.fullmatch(request.GET.get("match", "")):
        ply = whole_number(request.GET.get("ply", ""))
        return HttpResponseRedirect(f"/m/{asked[0]}/" + ("" if ply is None else f"?ply={ply}"))
    visitor = await visitor_of(request)
    await arrive(host.lobby, row.code, visitor.player, address_of(request))
    now = await room_state.state_of(host, row, visitor)
    if now.live is not None and "watch" in request.GET:
        return _to_match(request, now.live)
    return await page(request, "arena/room.html", await _context(request, host, row, now))


@view("GET")
async def state(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """The parts of the page that change. Players are taken to the match; with `?waiting`, so are those who
    waited here. Whoever asks is here, also where no websocket says so.
    """
    row, visitor = await row_of(code), await visitor_of(request)
    if row.private:
        keep_private(request)
    sat, _dot, of = request.GET.get("sat", "").partition(".")
    before = None if row.closed or of == room_state.host_mark(host) else whole_number(sat, most=1)
    await ask(host.lobby, row.code, visitor.player, address_of(request), before)
    # One look decides both. Between two, a match could begin and be shown to somebody who should be taken to it.
    now = await room_state.state_of(host, row, visitor)
    if now.live is not None and _is_taken(request, now, now.live, visitor):
        return _to_match(request, now.live)
    if not is_by_htmx(request):
        return HttpResponseRedirect(row.get_absolute_url())
    context = {**await _context(request, host, row, now), "apart": True}
    if (now.closed and not now.asked) or request.GET.get("seat", context["seat"]) != context["seat"]:
        return HttpResponseClientRefresh()  # it is closed, or somebody has sat down or left: all of the page says so
    return await page(request, "arena/fragments/room_state.html", context)


@view("POST")
async def sit(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """Take a free side, and go to the match if that makes two. Where both were faster, the room says who plays."""
    row = await row_of(code)
    if row.closed is not None and row.code not in host.lobby.rooms:
        raise Refusal("closed", CLOSED)
    found = await host.lobby.find(code, address_of(request))
    if found is None:
        raise Http404(NO_ROOM)
    if again := await rematch.agreed_in(host.lobby, row.pk, (await visitor_of(request)).player):
        return HttpResponseRedirect(f"/m/{again}/")
    try:
        return await seated(request, host, found)
    except Refusal as refusal:
        if refusal.code != "room_is_full":
            raise
        return HttpResponseRedirect(row.get_absolute_url())


@view("POST")
async def leave(request: HttpRequest, host: Host, code: str) -> HttpResponse:
    """Give the side back, as long as no match runs. With `close` the player who opened the room closes it with that."""
    row, visitor = await row_of(code), await visitor_of(request)
    found = host.lobby.rooms.get(row.code)
    if found is not None and running(found) is not None:
        raise Refusal("running", "The match runs. Resign it if you want to leave.")
    for occupant in list(found.sides) if found else ():
        if found and isinstance(occupant, Person) and occupant.setup.player == visitor.player:
            found.stand(occupant)
    if found is not None and "close" in request.POST and await room_state.may_close(host, found, visitor):
        await closing.close(host.lobby, found)
    return HttpResponseRedirect(row.get_absolute_url())


@view("POST")
async def change(request: HttpRequest, host: Host, code: str, side: int) -> HttpResponse:
    """Keep a side for somebody else: only for the opener of the room; for others there is no such address."""
    row, found = await row_of(code), await own_room(request, host, code)
    if side not in (0, 1):
        raise Http404(NO_ROOM)
    form = await room_form.form_in(request, row.variant, row.clock)
    text = request.POST.get("who", "")
    choice = room_form.choice_of(text)
    if choice is None or (why := room_form.why_no_side(form, text)) is not None:
        unknown = _("Received {what}.").format(what=repr(text[:40]))
        raise Refusal("invalid_form", why if choice is not None and why else unknown)
    changed = await host.room_maker.change(found, side, choice, await opener_of(request))
    await changed.begin()
    return _led(changed, side if choice.kind == "socket" else None)


@view("GET", "POST", rows=True)
async def new(request: HttpRequest, host: Host | None) -> HttpResponse:
    """Open a room. If something is impossible, the form says so beside the field, and nothing is created."""
    form = await room_form.form_of(request, await present(host))
    if request.method != "POST" or room_form.only_looks(request):
        return await _form(request, form)
    if wrong := room_form.errors(form):
        return await _form(request, form, wrong)
    assert host is not None, "forms are sent to the host"
    try:
        response = await opened(request, host, room_form.fields(form), form.sides)
    except TooManyRooms:
        raise
    except Refusal as refusal:
        return await _form(request, form, {"side1": spoken(refusal.sentence)})
    room_form.keep(response, form)
    return response


async def opened(request: HttpRequest, host: Host, fields: dict[str, Any], sides: tuple[str, str]) -> HttpResponse:
    """A room with these columns and sides, and the redirect to its match, its wizard or its page."""
    found = await open_room(request, host, fields, sides)
    if found.plan.private:
        await keep_room(request, found.plan.code.upper())
    waits = next((number for number, side in enumerate(sides) if side.startswith("socket:")), None)
    return _led(found, waits)


async def open_room(request: HttpRequest, host: Host, fields: dict[str, Any], sides: tuple[str, str]) -> LiveRoom:
    """The visitor's new room, with these columns and sides; its match has begun if nobody is missing."""
    first, second = (room_form.choice_of(side) for side in sides)
    assert first is not None and second is not None, "a form without errors says so, or the program itself"
    opener = await new_opener(request, host)
    user: Any = await request.auser()
    owner = user.pk if user.is_authenticated else None
    found = await host.room_maker.open_room({**fields, "owner_id": owner}, (first, second), opener)
    await found.begin()
    return found


async def seated(request: HttpRequest, host: Host, room: LiveRoom, side: int | None = None) -> HttpResponse:
    """Seat the visitor, and lead to the match if that makes two, else to the room, or to where its bot connects again.
    Raises Refusal when it is full, before a guest is made.
    """
    if (await visitor_of(request)).player is None and room.side_for(NEWCOMER) is None:
        raise why_no_side(room.plan.places, list(room.sides), NEWCOMER)
    player = await player_of(request)
    host.lobby.sit_down(room, seat_setup(request, player), side)
    await room.begin()
    waits = await host.room_maker.listen_again(room)
    own = waits is not None and await host.room_maker.may_change(room, player.pk)
    return _led(room, waits if own else None)


async def new_opener(request: HttpRequest, host: Host) -> Opener:
    """The visitor as the person who opens a room; a new guest if they have no player yet. Raises Refusal, before a
    guest is made, where this address may open none.
    """
    host.lobby.check_room(address_of(request))
    return await opener_of(request)


async def opener_of(request: HttpRequest) -> Opener:
    """The visitor as the person who opens or changes a room, in which they play or have played."""
    return Opener(seat_setup(request, await player_of(request)), address_of(request))


async def own_room(request: HttpRequest, host: Host, code: str) -> LiveRoom:
    """The room, for the person who opened it. Raises Http404 for everybody else, as if there were none."""
    room = await host.lobby.find(code, address_of(request))
    if room is None or not await host.room_maker.may_change(room, (await visitor_of(request)).player):
        raise Http404(NO_ROOM)
    return room


def taken_to(request: HttpRequest, room: LiveRoom) -> HttpResponse | None:
    """The way to the match that runs in this room."""
    live = running(room)
    return None if live is None else _to_match(request, live)


def _to_match(request: HttpRequest, live: LiveMatch) -> HttpResponse:
    return led(request, f"/m/{live.id}/")


def led(request: HttpRequest, address: str) -> HttpResponse:
    """The redirect, which a script of the page follows with the whole page."""
    return HttpResponseClientRedirect(address) if is_by_htmx(request) else HttpResponseRedirect(address)


def _is_taken(request: HttpRequest, now: room_state.RoomState, live: LiveMatch, visitor: Visitor) -> bool:
    if guests.audience_of(live, visitor.player):
        return True
    return "waiting" in request.GET and ("watch" in request.GET or now.mine)


def _led(room: LiveRoom, waits: int | None = None) -> HttpResponse:
    """The redirect to the match if it has begun, else to the wizard of the waiting side or to the room."""
    live = running(room)
    if live is not None:
        return HttpResponseRedirect(f"/m/{live.id}/")
    wizard = "" if waits is None else f"connect/{waits}/"
    return HttpResponseRedirect(f"/r/{room.plan.code}/{wizard}")


async def _form(request: HttpRequest, form: room_form.RoomForm, wrong: dict[str, str] | None = None) -> HttpResponse:
    context = form_page.context(form, wrong or {})
    return await page(request, "arena/new_room.html", context, 422 if wrong else 200)


# -- what the page shows -----------------------------------------------------------------------------------------------


async def row_of(code: str) -> Room:
    """Raises Http404 if there is no such room."""
    row = await Room.objects.filter(code=code.upper()).select_related("event").afirst()
    if row is None:
        raise Http404(NO_ROOM)
    return row


async def _context(request: HttpRequest, host: Host, row: Room, now: room_state.RoomState) -> dict[str, Any]:
    origin = origin_for_others(request)
    link = origin.address + row.get_absolute_url()
    matches = (
        Match.objects.filter(room=row).prefetch_related("seats", "rulings").order_by("-series", "-round", "-opened")
    )
    return {
        "room": row,
        "event": row.event if row.event is not None and row.event.deleted is None else None,
        "title": title(games.variant(row.variant)),
        "clock": clock_words(parse_clock(row.clock)) or _("no clock"),
        "held": held_words(row.adjudicate),
        "rounds_words": rounds_words(row.rounds),
        "address": link,
        "link": parted(link),
        "trouble": origin.trouble,
        "watch": "watch" in request.GET,
        "invitation": invitation(request, row, now, link),
        **await _changes(request, host, row, now),
        "awaited": _awaited(now),
        "doors": _doors(request, host, row, now),
        "matches": [line_of(match) async for match in matches[:MOST_MATCHES]],
        **room_state.context(row, now),
    }


async def _changes(request: HttpRequest, host: Host, row: Room, now: room_state.RoomState) -> dict[str, Any]:
    """Other players for a side: shown to the person who opened the room, while nothing runs."""
    if not now.mine or now.live is not None or now.closed:
        return {}
    form = await room_form.form_in(request, row.variant, row.clock, *(side.chosen for side in now.sides))
    form = replace(form, lacking=(await present(host)).lacking)
    changes = [
        {
            "side": side.number,
            "label": _("Seat {n}").format(n=side.number + 1),
            "groups": form_page.groups(form, side.chosen),
        }
        for side in now.sides
    ]
    return {"changes": changes, "find": form.find}


def _doors(request: HttpRequest, host: Host, row: Room, now: room_state.RoomState) -> list[dict[str, Any]]:
    """How any bot takes a free side with the room's code, if its protocol names rooms and its door is open; how the bot
    that is awaited comes, if it is.
    """
    awaited, room = _awaited(now), host.lobby.rooms.get(row.code)
    if now.closed or now.full or (awaited is None and all(side.kept for side in now.sides if not side.name)):
        return []
    name = "" if awaited is None else bare(awaited.name)
    joins = {slug for slug, adapter in protocols().items() if adapter.joins and plays(slug, row.variant)}
    if awaited is not None:
        comes = awaited.protocol in joins or (room is not None and room.plan.offered)
        joins = {awaited.protocol} if comes else set()
    return [
        {
            "title": protocol(slug).title,
            "host": connecting.host_of(request),
            "port": host.doors[slug].port,
            "lines": "\n".join(connecting.lines_of(slug, row.shown_code, name)),
        }
        for slug in sorted(joins & set(host.doors))
    ]


def _awaited(now: room_state.RoomState) -> Seat | None:
    return next((side.awaited for side in now.sides if side.awaited is not None), None)
