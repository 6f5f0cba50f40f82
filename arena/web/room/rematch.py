"""The same again: two players who have met play once more, with the seats swapped. The requests are made on
the board.
"""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django_htmx.http import HttpResponseClientRedirect

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import Setup
from arena.rooms import rematch as rematches
from arena.rooms.plan import Plan
from arena.web.guests import player_of, seat_setup
from arena.web.limits import address_of
from arena.web.lobby.one_screen import begin_at_one_screen
from arena.web.match.matches import live_of
from arena.web.match.moves import seat_of
from arena.web.room.rooms import seated
from arena.web.views import is_by_htmx, view


@view("POST")
async def rematch(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """The same again: at once against a built-in player, with the seats swapped, or at one screen; with another person
    when both want it.
    """
    live, visitor = await live_of(request, host, match)
    seat, setup = seat_of(live, visitor.player), live.state.setup
    if not live.over:
        raise Refusal("not_over", "This match still runs. A rematch begins when it is over.")
    if setup.at_one_screen:
        plan = Plan(variant=setup.variant, settings=setup.settings)
        begin = partial(begin_at_one_screen, request, host, plan)
        return _led(request, await rematches.at_once(host.lobby, live, seat, begin))
    other = setup.seats[1 - seat].kind
    if other == "builtin":
        begin = partial(_against_builtin, request, host, setup, 1 - seat)
        return _led(request, await rematches.at_once(host.lobby, live, seat, begin))
    if not live.room_code:
        raise Refusal("no_room", "This match was played without a room. Create one and share its link.")
    room = host.lobby.room_after(live)
    if room is not None and not room.over:
        raise Refusal("not_over", "The series goes on: the next round begins by itself.")
    if other == "human":
        return await _between_people(request, host, live, seat)
    found = await host.lobby.find(live.room_code, address_of(request))
    if found is None:
        raise Refusal("no_room", "The room of this match is gone. Create another one.")
    return await seated(request, host, found, 1 - seat)


async def _between_people(request: HttpRequest, host: Host, live: LiveMatch, seat: int) -> HttpResponse:
    if request.POST.get("answer") == "no":
        await rematches.decline(host.lobby, live, seat)
    elif begun := await rematches.ask(host.lobby, live, seat):
        return _led(request, begun)
    return HttpResponse(status=204) if is_by_htmx(request) else HttpResponseRedirect(f"/m/{live.id}/")


async def _against_builtin(request: HttpRequest, host: Host, setup: Setup, seat: int) -> str:
    player = await player_of(request)
    same = {name: getattr(setup, name) for name in ("variant", "settings", "clock", "offers", "adjudicate")}
    plan = Plan(**same)
    level = setup.seats[seat].level
    room = await host.lobby.play_builtin(seat_setup(request, player), level, seat, plan, address_of(request))
    assert room.live is not None, "play_builtin has begun it"
    return room.live.id


def _led(request: HttpRequest, match: str) -> HttpResponse:
    address = f"/m/{match}/"
    return HttpResponseClientRedirect(address) if is_by_htmx(request) else HttpResponseRedirect(address)
