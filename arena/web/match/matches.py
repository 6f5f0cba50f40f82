"""The match page: live for both seats and for watchers, and any of its positions at `?ply=`."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from arena.bots.failure.failure import failures
from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.rooms.people import AWAY_S
from arena.web import card_words, elsewhere, guests
from arena.web.drawing import OOB_MORPH
from arena.web.guests import Visitor, visitor_of
from arena.web.match import analysis, chat_lines, fragments, frames, rounds, staff, thoughts_panel, way_back
from arena.web.match.followed import FollowedMatch
from arena.web.match.host_matches import HostMatches
from arena.web.match.permissions import may_see, why_private
from arena.web.match.reaction_words import REACTIONS
from arena.web.match.scene import Scene
from arena.web.match.status import refusal_line
from arena.web.match.stored import stored, stored_head
from arena.web.match.wire_panel import panel
from arena.web.people.ratings import look_up
from arena.web.privacy import keep_private
from arena.web.views import STATUS, chosen_in, is_by_htmx, page, view
from arena.web.words import capital, clock_words, held_words, marked_name, pace_words, seat_name

# The page of a match that ended this recently listens for a ruling.
RULED_WITHIN = timedelta(days=3)

NO_MATCH = gettext_lazy("There is no such match. It may have been private and removed.")


@view("GET", rows=True)
async def match(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """The whole page: the current position or, with `ply`, that one or the nearest that exists."""
    live, visitor = await live_of(request, host, match)
    audience = guests.audience_of(live, visitor.player)
    chosen = chosen_in(request)
    scene = frames.scene(host, live, audience, ply=ply_of(request), chosen=chosen)
    return await _whole(request, host, live, scene)


@view("GET", rows=True)
async def board(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """The board at a ply, for stepping in place; a person who opens the address gets the page."""
    live, visitor = await live_of(request, host, match)
    ply = ply_of(request)
    if not is_by_htmx(request):
        return HttpResponseRedirect(f"/m/{live.id}/" + ("" if ply is None else f"?ply={ply}"))
    scene = frames.scene(host, live, guests.audience_of(live, visitor.player), ply=ply)
    return HttpResponse(fragments.board_at(scene) + analysis.values(live, scene.ply, OOB_MORPH))


@view("GET", rows=True)
async def resync(request: HttpRequest, host: Host | None, match: str) -> HttpResponse:
    """All fragments and the whole move list, for a page that missed something: it says what it `have`s.

    The page of a `seat` is not told what watchers are told: its new cookie may still be on its way.
    """
    live, visitor = await live_of(request, host, match)
    audience, have = guests.audience_of(live, visitor.player), whole_number(request.GET.get("have", "")) or 0
    if request.GET.get("seat") and not audience:
        return HttpResponse(status=204)
    return HttpResponse(frames.frame(host, live, audience, have, str(get_language()), whole=True))


@view("GET", rows=True)
async def why(request: HttpRequest, host: Host | None, match: str, seat: int) -> HttpResponse:
    """Why the bot on this seat failed, as a part of the match page, for those who may read its wire."""
    live, visitor = await live_of(request, host, match)
    found = [failure for failure in failures(live.events) if failure.seat == seat]
    if not found:
        raise Http404(_("There is no such failure."))
    private = await why_private(live, seat, visitor)
    return render(
        request, "arena/fragments/why_card.html", {"card": card_words.shown(found[-1].card), "private": private}
    )


async def live_of(request: HttpRequest, host: Host | None, match: str) -> tuple[LiveMatch, Visitor]:
    """The match and its visitor. Raises Http404 if there is none, or they may not see it.

    Without the host this is a finished match, or one that this front follows; raises NoHost if it is neither.
    """
    visitor = await visitor_of(request)
    here = elsewhere.mirror_or_none() if host is None else HostMatches(host)
    live = await (stored(match) if here is None else here.load(match))
    if live is None or not await may_see(live, visitor):
        raise Http404(NO_MATCH)
    if here is not None and guests.audience_of(live, visitor.player):
        live = await here.attend(live)
    if live.private:
        keep_private(request)
    await look_up(live)
    await rounds.look_up(live)
    await analysis.look_up(live)
    return live, visitor


async def answer(request: HttpRequest, host: Host, live: LiveMatch, act: Awaitable[None]) -> HttpResponse:
    """Do `act`; with htmx 204 or the refusal as a fragment, else the page again, with the refusal on it."""
    try:
        await act
    except Refusal as refusal:
        return await _refused(request, host, live, refusal)
    return HttpResponse(status=204) if is_by_htmx(request) else HttpResponseRedirect(f"/m/{live.id}/")


async def _refused(request: HttpRequest, host: Host, live: LiveMatch, refusal: Refusal) -> HttpResponse:
    scene = frames.scene(host, live, guests.audience_of(live, (await visitor_of(request)).player))
    status = STATUS.get(refusal.code, 409)
    if is_by_htmx(request):
        return HttpResponse(fragments.refused(scene, refusal.code, refusal.sentence), status=status)
    line = refusal_line(refusal.code, refusal.sentence, scene.far.name)
    return await _whole(request, host, live, replace(scene, status=line, result=None), status)


async def _whole(
    request: HttpRequest, host: Host | None, live: LiveMatch, scene: Scene, status: int = 200
) -> HttpResponse:
    context = {
        "scene": scene,
        "page": fragments.page(scene),
        "analysis": analysis.card(live, scene.audience),
        "values": analysis.values(live, scene.ply),
        **await _parts(request, host, live, scene.ply if scene.past else None),
        "back": max(0, scene.ply - 1),
        "forward": min(scene.plies, scene.ply + 1),
        "clock": clock_words(live.state.clock),
        "people": any(seat.kind == "human" for seat in live.state.setup.seats),
        "pace": pace_words(live.state.setup.pace_ms),
        "held": capital(held_words(live.state.setup.adjudicate)),
        "room": live.room_code,
        "grace_s": round(AWAY_S) if scene.seat is not None and not live.state.setup.may_wait else 0,
        "way_back": await way_back.address(live, await visitor_of(request)),
        "head": await stored_head(live),
        "embed": _embed_code(request, live),
        "rounds": await rounds.rounds_of(live),
        "follows": _listens(host, live),
        "goto": frames.next_match(host, live, scene),
        "reactions": REACTIONS if settings.ARENA_TALK else {},
        "decides": await _decides(request),
        "featured": (
            live.said.featured if isinstance(live, FollowedMatch) else host is not None and host.hub.featured is live
        ),
    }
    return await page(request, "arena/match.html", context, status)


def _listens(host: Host | None, live: LiveMatch) -> bool:
    """Whether the page of an ended match hears what comes after its end: a ruling on a match of these days does."""
    shared = isinstance(live, FollowedMatch) or (host is not None and host.hub.get(live.id) is live)
    return shared or datetime.now(UTC) - live.events[-1].at < RULED_WITHIN


async def _parts(request: HttpRequest, host: Host | None, live: LiveMatch, ply: int | None) -> dict[str, Any]:
    """The parts of the side card: the open one, the wires, and what this visitor may read out of them: the failures,
    and the thoughts at `ply`.
    """
    wires, visitor = wired_seats(live), await visitor_of(request)
    seats = [seat for seat, _, _ in wires]
    tab, asked = request.GET.get("tab", ""), request.GET.get("seat", "")
    tabs = ("info", "rounds", *(["wire"] if wires else []), *(["chat"] if settings.ARENA_TALK else []))
    tab = tab if tab in tabs else "moves"
    opened = int(asked) if asked in map(str, seats) else seats[0] if seats else None
    shown = [failure for failure in failures(live.events) if not await why_private(live, failure.seat, visitor)]
    if any([await why_private(live, failure.seat, Visitor()) for failure in shown]):
        keep_private(request)
    return {
        "tab": tab,
        "talk": settings.ARENA_TALK,
        **await chat_lines.context(request, live, visitor, open=tab == "chat"),
        "wires": wires,
        "opened": opened,
        "thoughts": await thoughts_panel.card(request, host, live, wires, ply),
        "wire": await panel(request, host, live, opened) if tab == "wire" and opened is not None else "",
        "why": [
            (marked_name(live.state.setup.seats[failure.seat].name), card_words.shown(failure.card))
            for failure in shown
        ],
    }


def _embed_code(request: HttpRequest, live: LiveMatch) -> str:
    """HTML of a frame with this match, "" for a private one. The page that shows this code escapes it once more."""
    if live.private:
        return ""
    address = escape(request.build_absolute_uri(f"/m/{live.id}/embed/"))
    first, second = (seat_name(who, seat) for seat, who in enumerate(live.state.setup.seats))
    title = escape(_("{first} against {second}").format(first=first, second=second))
    return f'<iframe src="{address}" title="{title}" width="480" height="700" loading="lazy"></iframe>'


async def _decides(request: HttpRequest) -> bool:
    """Whether this visitor sees the staff menu; only for staff is the database asked."""
    return (await visitor_of(request)).staff and await sync_to_async(staff.may_act)(await request.auser())


def wired_seats(live: LiveMatch) -> list[tuple[int, str, str]]:
    """Seat, name and protocol of the players that use a connection."""
    return [
        (n, marked_name(seat.name), seat.protocol) for n, seat in enumerate(live.state.setup.seats) if seat.protocol
    ]


def ply_of(request: HttpRequest) -> int | None:
    """The number in `?ply=`, None without it. Raises Http404 if it is not a number."""
    text: Any = request.GET.get("ply")
    if text is None:
        return None
    if not re.fullmatch(r"-?[0-9]{1,12}", text):
        words = _("There is no move {text}: expected its number, from 0 for the start.")
        raise Http404(words.format(text=repr(text[:20])))
    return int(text)
