"""The wizard that connects a bot: its protocol, what to copy, and what the arena receives from it.

`/bots/connect/` opens a private room with a POST; `/r/<code>/connect/<seat>/` listens there. Both are for the
person who opened the room: others get a 404, because the address of a seat is all that a bot needs to take it.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

import games
from arena.bots.seats.choices import SideChoice
from arena.bots.seats.seat_port import SeatPort
from arena.host import Host
from arena.match.clock import parse_clock
from arena.match.commands import Refusal
from arena.models import Place
from arena.protocols import plays, protocol, protocols
from arena.rooms.plan import Terms
from arena.rooms.room import LiveRoom
from arena.web.bots import wizard_companion, wizard_words
from arena.web.guests import keep_room, visitor_of
from arena.web.library import connecting
from arena.web.match.wire_rows import rows_of
from arena.web.present import bots_host
from arena.web.privacy import keep_private
from arena.web.room.rooms import NO_ROOM, new_opener, opener_of, taken_to
from arena.web.room.state import running
from arena.web.views import is_by_htmx, page, view
from arena.web.words import clock_words, rounds_words, title

BOT_SIDE = 1
MOST_LINES = 100


@view("GET", "POST", rows=True)
async def connect(request: HttpRequest, host: Host | None) -> HttpResponse:
    """Choose what is played and how the bot talks; the POST opens the room."""
    fields = request.POST if request.method == "POST" else request.GET
    chosen = fields.get("variant") or games.variants()[0].slug
    if chosen not in games.slugs():
        raise Http404(_("There is no game {name}.").format(name=repr(chosen[:40])))
    if request.method != "POST":
        context = {
            "variants": [{"slug": each.slug, "title": title(each)} for each in games.variants()],
            "chosen": chosen,
        }
        return await page(request, "arena/wizard_start.html", context)
    slug = fields.get("protocol") or usual_protocol(chosen)
    check_protocol(slug, chosen)
    assert host is not None, "forms are sent to the host"
    opener = await new_opener(request, host)
    row = {"variant": chosen, **_usual_terms(host, slug)._asdict(), "pace_ms": 700, "private": True}
    sides = (SideChoice("anyone"), SideChoice("socket", protocol=slug))
    room = await host.room_maker.open_room(row, sides, opener)
    await keep_room(request, room.plan.code.upper())
    wizard_companion.wait(host, room, BOT_SIDE, opener)
    return HttpResponseRedirect(f"/r/{room.plan.code}/connect/{BOT_SIDE}/")


@view("GET", "POST")
async def listen(request: HttpRequest, host: Host, code: str, side: int) -> HttpResponse:
    """What to copy and what was received. A POST changes the protocol, reopens the address or frees the other side."""
    room = await _own_room(request, host, code, side)
    if request.method == "POST":
        return await _changed(request, host, room, side)
    if (taken := taken_to(request, room)) is not None:
        return taken
    return await page(request, "arena/wizard.html", _context(request, host, room, side))


@view("GET")
async def state(request: HttpRequest, host: Host, code: str, side: int) -> HttpResponse:
    """What was received, as a fragment; once the match begins, the way there."""
    room = await _own_room(request, host, code, side)
    if (taken := taken_to(request, room)) is not None:
        return taken
    if not is_by_htmx(request):
        return HttpResponseRedirect(f"/r/{room.plan.code}/connect/{side}/")
    return await page(request, "arena/fragments/wizard_listens.html", _context(request, host, room, side))


def usual_protocol(variant: str) -> str:
    """The first that was made for this variant, else the one that speaks every game."""
    made = [slug for slug, adapter in protocols().items() if variant in adapter.variants]
    return made[0] if made else next(slug for slug in protocols() if plays(slug, variant))


def check_protocol(slug: str, variant: str) -> None:
    """Raises Refusal for a protocol that does not exist, or does not play this variant."""
    if slug not in protocols():
        words = _("Received the protocol {slug}, expected {known}.")
        raise Refusal("invalid_form", words.format(slug=repr(slug[:40]), known=", ".join(protocols())))
    if not plays(slug, variant):
        words = _("{protocol} does not play {game}.")
        raise Refusal("invalid_form", words.format(protocol=protocol(slug).title, game=title(games.variant(variant))))


async def _changed(request: HttpRequest, host: Host, room: LiveRoom, side: int) -> HttpResponse:
    form = request.POST
    here = f"/r/{room.plan.code}/connect/{side}/"
    opener = await opener_of(request)
    if "protocol" in form:
        check_protocol(form["protocol"], room.plan.variant)
        choice, terms = SideChoice("socket", protocol=form["protocol"]), _terms_with(host, room, side, form["protocol"])
        await host.room_maker.change(room, side, choice, opener, terms)
    elif "again" in form:
        await host.room_maker.open_again(room, side)
    elif "other" in form:
        wizard_companion.forget(room)
        here = f"/r/{room.plan.code}/"
    return HttpResponseRedirect(here)


async def _own_room(request: HttpRequest, host: Host, code: str, side: int) -> LiveRoom:
    """The room, for the person who opened it. Raises Http404 for everybody else, as if there were none."""
    visitor = await visitor_of(request)
    room = host.lobby.rooms.get(code.upper())
    if room is None or side not in (0, 1) or not await host.room_maker.may_change(room, visitor.player):
        raise Http404(NO_ROOM)
    keep_private(request)
    return room


def _usual_terms(host: Host, slug: str) -> Terms:
    """The clock and the rounds that this protocol wants."""
    adapter = protocol(slug)
    usual = host.seat_ports.clock_of(adapter)
    return Terms(usual if usual != "none" else "30s", adapter.rounds or 1)


def _terms_with(host: Host, room: LiveRoom, side: int, slug: str) -> Terms | None:
    """The terms to play by with another protocol; None where somebody has chosen those that there are."""
    before, now = room.plan.places[side], Terms(room.plan.clock, room.plan.rounds)
    usual = before is not None and before.protocol in protocols() and now == _usual_terms(host, before.protocol)
    return _usual_terms(host, slug) if usual else None


def _context(request: HttpRequest, host: Host, room: LiveRoom, side: int) -> dict[str, Any]:
    waiting = host.seat_ports.port_of(room.plan.code, side)
    kind = games.variant(room.plan.variant)
    base: dict[str, Any] = {
        "code": room.plan.code,
        "address": f"/r/{room.plan.code}/connect/{side}/",
        "title": title(kind),
        "rounds_words": rounds_words(room.plan.rounds),
        "clock": clock_words(parse_clock(room.plan.clock)) or _("no clock"),
        "seat": side + 1,
        "waiting": waiting is not None,
        "choices": _choices(room.plan.variant, waiting),
        "running": running(room) is not None,
    }
    if waiting is None:
        return base
    waiting.watched_from = request.META.get("REMOTE_ADDR") or ""
    return base | _start(request, host, room, waiting) | _heard(request, room, waiting)


def _choices(variant: str, waiting: SeatPort | None) -> list[dict[str, Any]]:
    current = waiting.place.protocol if waiting is not None else ""
    return [
        {
            "slug": slug,
            "title": adapter.title,
            "line": _("stdin and stdout") if connecting.is_program(slug) else _("over a socket"),
            "current": slug == current,
        }
        for slug, adapter in protocols().items()
        if plays(slug, variant)
    ]


def _start(request: HttpRequest, host: Host, room: LiveRoom, waiting: SeatPort) -> dict[str, Any]:
    """What to copy: nothing for a registered bot, which has its own address, or for one that this server runs."""
    if waiting.place.kind != Place.Kind.SOCKET:
        return {"snippets": [], "tabs": []}
    slug = waiting.place.protocol
    address = _address(request, host, room, waiting)
    if address is None:
        return {"snippets": [], "tabs": []}
    tabs = connecting.tabs(slug, request.GET.get("lang", ""))
    language = next(tab.name for tab in tabs if tab.current)
    sample = next((tab for tab in tabs[1:] if language == connecting.ANY), None)
    snippets = connecting.snippets(slug, language, address)
    refused = connecting.why_refused(request, bots_host(host))
    return {"snippets": snippets, "tabs": tabs, "sample": sample, "port": address.port, "refused": refused}


def _address(request: HttpRequest, host: Host, room: LiveRoom, waiting: SeatPort) -> connecting.Address | None:
    """The port of this seat, None once it has expired or is used."""
    if waiting.port is None:
        return None
    door, site = host.doors.get(waiting.place.protocol), f"{request.scheme}://{request.get_host()}"
    return connecting.Address(connecting.host_of(request), waiting.port, room.plan.code, site, door.port if door else 0)


def _heard(request: HttpRequest, room: LiveRoom, waiting: SeatPort) -> dict[str, Any]:
    other_free = room.sides[1 - waiting.side] is None
    steps = wizard_words.steps(waiting.hearing.entries, connecting.host_of(request), other_free)
    rows = list(rows_of(waiting.wire()))[-MOST_LINES:]
    return {
        "steps": steps,
        "is_ready": any(each.code == "ready" for each in waiting.hearing.entries),
        "rows": rows,
        "titles": {slug: protocol(slug).title for slug in protocols()},
    }
