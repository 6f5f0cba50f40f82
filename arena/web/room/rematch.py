"""Two players who have met play once more, seats swapped. The requests are made on the board."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from arena.bots.seats.choices import Opener, SideChoice
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import Setup
from arena.models import Bot, Place, Room
from arena.rooms import rematch as rematches
from arena.rooms.plan import Plan
from arena.rooms.reservation import is_run_here
from arena.rooms.room import LiveRoom
from arena.web.guests import player_of, seat_setup
from arena.web.limits import address_of
from arena.web.lobby.one_screen import begin_at_one_screen
from arena.web.match.acts import seat_of
from arena.web.match.matches import live_of
from arena.web.room.rooms import led, opener_of, seated
from arena.web.views import is_by_htmx, view


@view("POST")
async def rematch(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """The same again: at once against a built-in player, with the seats swapped, or at one screen; with another person
    when both want it, with a bot when it is there.
    """
    live, visitor = await live_of(request, host, match)
    seat, setup = seat_of(live, visitor.player), live.state.setup
    if not live.over:
        raise Refusal("not_over", "This match still runs. A rematch begins when it is over.")
    other = setup.seats[1 - seat].kind
    if setup.at_one_screen:
        begin = partial(begin_at_one_screen, request, host, Plan(variant=setup.variant, settings=setup.settings))
    elif other == "builtin":
        begin = partial(_against_builtin, request, host, setup, 1 - seat)
    else:
        _check_room(host, live)
        if other == "human":
            return await _between_people(request, host, live, seat)
        begin = partial(_against_bot, request, host, live, seat)
    found = await rematches.at_once(host.lobby, live, seat, begin)
    if isinstance(found, str):
        return led(request, f"/m/{found}/")
    return led(request, (await seated(request, host, found))["Location"])


def _check_room(host: Host, live: LiveMatch) -> None:
    if not live.room_code:
        raise Refusal("no_room", "This match was played without a room. Create one and share its link.")
    room = host.lobby.room_after(live)
    if room is not None and not room.over:
        raise Refusal("not_over", "The series goes on: the next round begins by itself.")


async def _between_people(request: HttpRequest, host: Host, live: LiveMatch, seat: int) -> HttpResponse:
    if request.POST.get("answer") == "no":
        await rematches.decline(host.lobby, live, seat)
    elif begun := await rematches.ask(host.lobby, live, seat):
        return led(request, f"/m/{begun}/")
    return HttpResponse(status=204) if is_by_htmx(request) else HttpResponseRedirect(f"/m/{live.id}/")


async def _against_builtin(request: HttpRequest, host: Host, setup: Setup, seat: int) -> LiveRoom:
    player = await player_of(request)
    same = {name: getattr(setup, name) for name in ("variant", "settings", "clock", "offers", "adjudicate")}
    plan = Plan(**same)
    level = setup.seats[seat].level
    return await host.lobby.play_builtin(seat_setup(request, player), level, seat, plan, address_of(request))


async def _against_bot(request: HttpRequest, host: Host, live: LiveMatch, seat: int) -> LiveRoom:
    """In the room of the match, where its bot is awaited unless it is there or can be called."""
    by, bot = await opener_of(request), live.state.setup.seats[1 - seat]
    room = await host.lobby.find(live.room_code, by.address)
    if room is None:
        raise Refusal("no_room", "The room of this match is gone. Create another one.")
    if bot.verified and bot.player is not None and not _comes_by_itself(room, bot.player):
        room = await _with_called(host, room, 1 - seat, bot.player, by)
    if bot.player is None:
        room.plan = replace(room.plan, offered=True)  # no seat is kept for it, and it may have named no room
    host.lobby.sit_down(room, by.setup, 1 - seat)
    await room.begin()
    return room


def _comes_by_itself(room: LiveRoom, bot: int) -> bool:
    """Whether this bot is in the room, whose name it knows, or connects to the port of its seat there."""
    sides = list(zip(room.plan.places, room.sides, strict=True))
    there = any(each is not None and each.setup.player == bot for place, each in sides if not is_run_here(place))
    return there or any(place is not None and place.kind == Place.Kind.SOCKET for place, _ in sides)


async def _with_called(host: Host, room: LiveRoom, side: int, bot: int, by: Opener) -> LiveRoom:
    """This person on this side of the room, and the other one kept for the bot, which is started, or called if it is
    connected and free. If others are there by now, that is in a room like it.
    """
    is_ours = await Bot.objects.filter(pk=bot, command__isnull=False).aexists()
    person, called = SideChoice("me"), SideChoice("command" if is_ours else "bot", player=bot)
    if _is_free_for(room, by):
        room = await host.room_maker.change(room, side, person, by)  # first: a bot would sit down opposite itself
        return await host.room_maker.change(room, 1 - side, called, by)
    row = await Room.objects.aget(code=room.plan.code.upper())
    return await host.room_maker.open_room(rematches.like(row), (called, person) if side else (person, called), by)


def _is_free_for(room: LiveRoom, by: Opener) -> bool:
    others = (each for place, each in zip(room.plan.places, room.sides, strict=True) if not is_run_here(place))
    return not room.begun and all(each is None or each.setup.player == by.setup.player for each in others)
