"""Two people at one screen: one visitor has both seats, named by colour, and the board does not turn."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest

from arena.host import Host
from arena.rooms.people import Person
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from arena.web.guests import player_of, seat_setup
from arena.web.limits import address_of
from arena.web.words import COLOURS


async def begin_at_one_screen(request: HttpRequest, host: Host, plan: Plan) -> LiveRoom:
    """Begin a match by this plan: unrated, without a clock, and takebacks need no consent."""
    host.lobby.check_loose(address_of(request))
    who = seat_setup(request, await player_of(request))
    first, second = (Person(host.referee, who._replace(name=colour)) for colour in COLOURS)
    shared = replace(plan, kind="screen", clock="none", rated=False, offers=True)
    return await host.lobby.play_loose((first, second), shared, address_of(request))
