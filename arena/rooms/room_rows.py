"""The rows of rooms and of their places, and the plans made from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import IntegrityError
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery

from arena.cluster.lease import Fence, for_holder
from arena.match.commands import Refusal
from arena.match.said import said
from arena.match.series import NO_SCORE, Score
from arena.models import Event, Match, Place, Room, Seat
from arena.protocols import facts_of
from arena.rooms.plan import Plan, Terms
from arena.rooms.reservation import FREE, Kept

# A room that nobody uses is closed after this time.
LINK_LIVES = timedelta(hours=24)
# A match leaves memory after this time without anybody present.
QUIET = timedelta(minutes=10)
MOST_ENDED_AT_ONCE = 200
# The players for whom a side stays kept when the room is opened again: people who have played may sit on either side.
_KEPT_ON = frozenset({Place.Kind.BUILTIN, Place.Kind.BOT, Place.Kind.COMMAND, Place.Kind.SOCKET})
# Shared by all rooms without settings.
_NO_SETTINGS: Mapping[str, Any] = {}


async def find(code: str, *, after_restart: bool = False) -> Plan | None:
    """What is played in the next series of the room with this code (in capitals); None if there is none. Who comes back
    to it right `after_restart` has waited there on.
    """
    row = await Room.objects.filter(code=code).afirst()
    if row is None:
        return None
    since = row.last_used if after_restart and row.closed is None else datetime.now(UTC)
    await Room.objects.filter(pk=row.pk).aupdate(last_used=since, closed=None)
    return replace(plan_of(row, *await next_series(row.pk)), offered=await _awaits_one_of_a_door(row.pk))


async def _awaits_one_of_a_door(room: int) -> bool:
    """Whether a bot that names no room has played there last. No seat can be kept for it if it has no account."""
    last = Match.objects.filter(room=room).order_by("-series", "-round", "-opened").values("pk")[:1]
    nameless = Seat.objects.filter(match=Subquery(last), kind=Seat.Kind.BOT, player=None)
    return any([not facts_of(slug).joins async for slug in nameless.values_list("protocol", flat=True)])


async def next_series(room: int) -> tuple[int, Kept]:
    """The number of the series that comes next in this room, and for whom its sides are kept."""
    last = await Match.objects.filter(room=room).aaggregate(last=Max("series"))
    series = (last["last"] or 0) + 1
    return series, await kept_in(room, again=series > 1)


async def exist(code: str) -> bool:
    """Whether there is a room with this code, live or not."""
    return await Room.objects.filter(code=code.upper()).aexists()


async def create(code: str, fields: Mapping[str, Any], places: Kept = FREE) -> Plan:
    """Create the rows of a new room and of its places. Raises Refusal if there is a room with that code."""
    try:
        row = await Room.objects.acreate(code=code.upper(), shown_code=code, last_used=datetime.now(UTC), **fields)
    except IntegrityError:
        raise Refusal("room_exists", said("A room {code} already exists.", code=code)) from None
    for place in places:
        if place is not None:
            place.room_id = row.pk
            await place.asave()
    return plan_of(row, 1, places)


async def standing(room: int, series: int) -> tuple[Score, bool]:
    """The score of the rounds of this series that are over, and whether all of them are."""
    score, over = NO_SCORE, True
    rounds = Match.objects.filter(room=room, series=series).order_by("round", "opened")
    async for round, winner, termination in rounds.values_list("round", "winner", "termination"):
        over = over and bool(termination)
        score = score.after(round, winner, termination) if termination else score
    return score, over


async def kept_in(room: int, *, again: bool = False) -> Kept:
    """For whom the sides of this room are kept; `again` in the series after its first."""
    kept: list[Place | None] = [None, None]
    async for place in Place.objects.filter(room=room):
        if not again or place.kind in _KEPT_ON:
            kept[place.side] = place
    return kept[0], kept[1]


async def keep(plan: Plan, place: Place) -> Plan:
    """The plan with this place for its side instead of the one it had."""
    assert plan.room is not None, "places belong to rooms of the database"
    await Place.objects.filter(room=plan.room, side=place.side).adelete()
    place.room_id = plan.room
    await place.asave()
    first, second = plan.places
    return replace(plan, places=(place, second) if place.side == 0 else (first, place))


async def play_by(plan: Plan, terms: Terms) -> Plan:
    """The plan with these terms instead of those that it had."""
    assert plan.room is not None, "it is in the database"
    await Room.objects.filter(pk=plan.room).aupdate(**terms._asdict())
    return replace(plan, **terms._asdict())


async def close(room: int | None, fence: Fence | None = None) -> None:
    """Nobody is in it any more, as far as the host knows."""
    if room is not None:
        await for_holder(Room.objects.filter(pk=room), fence).aupdate(closed=datetime.now(UTC))


async def has_begun(room: Room) -> bool:
    """Whether a series has begun in it and is not over, as far as its rows say."""
    return await Match.objects.filter(room=room, series__gt=room.finished).aexists()


async def waits_for(code: str, player: int) -> bool:
    """Whether nothing has been played in this room and a side of it is kept for this person."""
    mine = Place.objects.filter(kind=Place.Kind.ME, player=player)
    rooms = Room.objects.filter(code=code, closed=None, matches=None)
    return await rooms.filter(places__in=mine).aexists()


async def used(room: int | None, fence: Fence | None = None) -> None:
    """Somebody has waited in it until now."""
    if room is not None:
        await for_holder(Room.objects.filter(pk=room), fence).aupdate(last_used=datetime.now(UTC))


async def close_unused(live: Collection[str], fence: Fence | None = None) -> None:
    """Close rooms that nobody has used for as long as a link lives, except those that are `live`."""
    now, playing = datetime.now(UTC), Exists(Match.objects.filter(room=OuterRef("pk"), ended=None))
    unused = Room.objects.filter(~playing, closed=None, last_used__lt=now - LINK_LIVES).exclude(code__in=live)
    await for_holder(unused, fence).aupdate(closed=now)


async def finish(plan: Plan, fence: Fence | None = None) -> None:
    """Its series is over, as far as the host knows: it does not continue after a restart. Nor does an earlier one."""
    if plan.room is not None:
        earlier = Room.objects.filter(pk=plan.room, finished__lt=plan.series)
        await for_holder(earlier, fence).aupdate(finished=plan.series)


def plan_of(row: Room, series: int, places: Kept = FREE) -> Plan:
    return Plan(
        variant=row.variant,
        settings=row.settings or _NO_SETTINGS,
        clock=row.clock,
        rounds=row.rounds,
        pace_ms=row.pace_ms,
        rated=row.rated,
        private=row.private,
        offers=row.offers,
        adjudicate=row.adjudicate,
        opening=row.opening,
        code=row.shown_code,
        room=row.pk,
        series=series,
        places=places,
    )


# -- matches that wait for their people --------------------------------------------------------------------------------


async def parked() -> set[str]:
    """Running matches that may wait, and in which nothing has happened for a while."""
    return {match async for match in _quiet_since(datetime.now(UTC) - QUIET).values_list("id", flat=True)}


async def abandoned(after: timedelta) -> list[str]:
    """Those in which nothing has happened for this long, some of them at a time."""
    before = datetime.now(UTC) - after
    quiet = _quiet_since(before).filter(opened__lt=before).order_by("opened")
    return [match async for match in quiet.values_list("id", flat=True)[:MOST_ENDED_AT_ONCE]]


def _quiet_since(before: datetime) -> QuerySet[Match]:
    """The same condition as `Setup.may_wait`, for one match."""
    seats, events = Seat.objects.filter(match=OuterRef("pk")), Event.objects.filter(match=OuterRef("pk"))
    person, bot, builtin = (Exists(seats.filter(kind=kind)) for kind in (Seat.Kind.HUMAN, Seat.Kind.BOT, "builtin"))
    running = Match.objects.filter(ended=None, started__isnull=False, pairing=None)
    waiting = running.filter(person, ~bot, Q(clock="none") | builtin)
    last = Subquery(events.order_by("-seq").values("at")[:1])
    return waiting.annotate(last=last).filter(last__lt=before)
