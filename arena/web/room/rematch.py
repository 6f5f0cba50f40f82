"""The same again: two who have met play once more, with the seats swapped."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import Setup
from arena.rooms.people import Person
from arena.rooms.plan import Plan
from arena.web.guests import player_of, seat_setup
from arena.web.limits import address_of
from arena.web.match.matches import live_of
from arena.web.match.moves import seat_of
from arena.web.room.rooms import seated
from arena.web.views import view


@view("POST")
async def rematch(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """The same again with swapped seats: at once against a built-in player, else in the room they met in."""
    live, visitor = await live_of(request, host, match)
    seat, setup = seat_of(live, visitor.player), live.state.setup
    if not live.over:
        raise Refusal("not_over", "This match still runs. A rematch begins when it is over.")
    if request.POST.get("answer") == "no":
        return _declined(host, live, seat)
    if setup.seats[1 - seat].kind == "builtin":
        return await _against_builtin(request, host, setup, 1 - seat)
    room = await host.lobby.find(live.room_code)
    if room is None:
        raise Refusal("no_room", "This match was played without a room. Create one and share its link.")
    if host.lobby.room_after(live) is room:
        raise Refusal("not_over", "The series goes on: the next round begins by itself.")
    response = await seated(request, host, room, 1 - seat)
    host.hub.changed(live)  # the page of the other one says who wants to play again
    return response


def _declined(host: Host, live: LiveMatch, seat: int) -> HttpResponse:
    """The one who asked does not wait for an answer that will not come: their side of the room is free again."""
    room, other = host.lobby.rooms.get(live.room_code.upper()), live.state.setup.seats[1 - seat].player
    if room is not None and not room.playing and room.plan.series > live.state.setup.series:
        room.declined = live.state.setup.seats[seat].name
        for occupant in list(room.sides):
            if isinstance(occupant, Person) and occupant.setup.player == other:
                room.stand(occupant)
        host.hub.changed(live)
    return HttpResponseRedirect(f"/m/{live.id}/")


async def _against_builtin(request: HttpRequest, host: Host, setup: Setup, seat: int) -> HttpResponse:
    player = await player_of(request)
    plan = Plan(variant=setup.variant, settings=setup.settings, clock=setup.clock, offers=setup.offers)
    level = setup.seats[seat].level
    room = await host.lobby.play_builtin(seat_setup(request, player), level, seat, plan, address_of(request))
    assert room.live is not None, "play_builtin has begun it"
    return HttpResponseRedirect(f"/m/{room.live.id}/")
