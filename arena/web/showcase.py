"""What the home page shows of others: the match to watch, more matches, rooms that wait for a second player."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef

from arena.host import Host
from arena.hub import Live
from arena.match.clock import parse_clock
from arena.models import Match, Seat
from arena.rooms import LiveRoom
from arena.web import fragments, frames
from arena.web.drawing import artist
from arena.web.matches import clock_words
from games import variant

MOST_LIVES = 8
MOST_ROOMS = 50


def public(host: Host) -> list[Live]:
    """Running matches that anyone may see and that have begun, those of people before those of bots, newest first."""
    running = [live for live in host.hub.running() if live.private is False and not live.state.setup.is_test]
    shown = [live for live in running if live.state.position.ply]
    return sorted(shown, key=lambda live: (_people(live), live.events[0].at), reverse=True)


def mini(live: Live) -> dict[str, Any]:
    """A match in a list."""
    setup, kind = live.state.setup, variant(live.state.setup.variant)
    return {
        "id": live.id,
        "address": f"/m/{live.id}/",
        "picture": artist(kind.game).mini(live.state.position.board()),
        "names": [seat.name for seat in setup.seats],
        "seats": fragments.SEATS,
        "line": f"{kind.title}, {'rated' if setup.rated else 'friendly'}, move {live.state.position.ply}",
        "live": not live.over,
    }


def featured(host: Host, live: Live) -> dict[str, Any]:
    """The match of the large card."""
    scene = frames.scene(host, live, "")
    return mini(live) | {"lines": [card.line for card in scene.cards]}


def waiting(host: Host) -> list[dict[str, Any]]:
    """Rooms where somebody waits for an opponent, longest first."""
    return [_waiting(room) for room in host.lobby.open_rooms()[:MOST_ROOMS]]


async def last_match(host: Host) -> Live | None:
    """The match that began last of those that are over and that anyone may see."""
    over = Match.objects.filter(ended__isnull=False, plies__gt=1).exclude(room__private=True)
    over = over.exclude(Exists(Seat.objects.filter(match=OuterRef("pk"), kind=Seat.Kind.BOT, name__iexact="test")))
    number = await over.order_by("-opened").values_list("id", flat=True).afirst()
    return None if number is None else await host.referee.load(number)


def _people(live: Live) -> tuple[bool, int]:
    kinds = [seat.kind for seat in live.state.setup.seats]
    return live.state.setup.rated, kinds.count("human")


def _waiting(room: LiveRoom) -> dict[str, Any]:
    plan = room.plan
    side = next(side for side in (0, 1) if room.sides[side] is not None)
    occupant = room.sides[side]
    assert occupant is not None, "somebody waits"
    seat = occupant.setup
    return {
        "address": f"/r/{plan.code}/",
        "title": variant(plan.variant).title,
        "line": rounds_words(plan.rounds),
        "seat": fragments.SEATS[side],
        "name": seat.name,
        "tag": {"bot": "bot", "human": "" if seat.verified else "guest"}.get(seat.kind, ""),
        "clock": clock_words(parse_clock(plan.clock)) or "none",
        "rated": plan.rated,
    }


def rounds_words(rounds: int) -> str:
    return "1 round" if rounds == 1 else f"{rounds} rounds"
