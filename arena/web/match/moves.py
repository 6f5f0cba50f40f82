"""What a visitor may do in a match: move, resign, abort, play again. Websocket and form meet in `submit`.

Every act is judged here first (does this visitor sit on a seat of this match?), then by the referee. What is refused
changes nothing, and is answered in words.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from arena.core.hub import Live
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import Setup
from arena.rooms.people import Person
from arena.rooms.room import Plan
from arena.web.guests import player_of, seat_setup
from arena.web.limits import address_of
from arena.web.match import frames
from arena.web.match.matches import answer, live_of
from arena.web.room.rooms import seated
from arena.web.views import view

# The longest move of any game has 11 letters, b2-c1+d2 among them; the log keeps 16.
LONGEST_MOVE = 16


async def submit(host: Host, live: Live, player: int | None, ply: Any, move: Any) -> None:
    """Play `move` (a text, or its parts) as number `ply`, both as they came from a form. Raises Refusal."""
    seat = seat_of(live, player)
    await host.referee.play(live, seat, _number(ply), _text(joined(move)), actor_of(player))


def seat_of(live: Live, player: int | None) -> int:
    """The seat of this player. Raises Refusal for everyone else."""
    audience = frames.audience_of(live, player)
    if not audience:
        raise Refusal("not_seated", "You are watching. Only the two players of a match can do this.")
    return int(audience)


def actor_of(player: int | None) -> str:
    """Whose doing an event was, as the log has it."""
    return f"player:{player}"


def joined(move: Any) -> Any:
    """A form may send a move in parts, such as a number of stones and an `r` for the reset beside it."""
    parts = isinstance(move, list) and all(isinstance(part, str) for part in move)
    return "".join(move) if parts else move


def _number(ply: Any) -> int:
    text = str(ply)
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        raise Refusal("invalid_form", f"Received ply {text[:20]!r}, expected the number of the move. Nothing was done.")
    return int(text)


def _text(move: Any) -> str:
    if not isinstance(move, str) or not 0 < len(move) <= LONGEST_MOVE or not move.isprintable():
        raise Refusal("invalid_move", f"Received {str(move)[:20]!r}, expected a move such as those on the board.")
    return move


# -- forms -------------------------------------------------------------------------------------------------------------


@view("POST")
async def move(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    return await answer(
        request, host, live, submit(host, live, visitor.player, request.POST.get("ply"), request.POST.getlist("move"))
    )


@view("POST")
async def resign(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    return await answer(request, host, live, host.referee.resign(live, seat, actor_of(visitor.player)))


@view("POST")
async def abort(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    reason = f"{live.state.setup.seats[seat].name} left before both sides had moved"
    return await answer(request, host, live, host.referee.abort(live, "abort", reason, seat, actor_of(visitor.player)))


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


def _declined(host: Host, live: Live, seat: int) -> HttpResponse:
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
    plan = Plan(variant=setup.variant, settings=setup.settings, clock=setup.clock)
    level = setup.seats[seat].level
    room = await host.lobby.play_builtin(seat_setup(request, player), level, seat, plan, address_of(request))
    assert room.live is not None, "play_builtin has begun it"
    return HttpResponseRedirect(f"/m/{room.live.id}/")
