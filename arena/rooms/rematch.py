"""A rematch between two people: each asks for it on the board, and the second request begins it. Where nobody has to
agree it begins at once.

The requests are noted in the log of the match that is over, so no restart loses them. No seat is kept meanwhile: the
match begins in the room where they met, or in one like it if somebody else has sat down there since.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from arena.core.hub import LiveMatch, Presence
from arena.match.commands import Note, Refusal
from arena.match.state import LogEvent
from arena.models import Match, Place, Player, Room
from arena.rooms.lobby import Lobby
from arena.rooms.people import Person, seat_of_player
from arena.rooms.room import LiveRoom
from arena.rooms.room_pages import ON_THE_WAY_S

REMATCH = "rematch"
# Older requests are ignored: the player may have other plans by now.
ASKED_FOR = timedelta(minutes=15)
# Asking and declining could go on without end, and all of it is kept.
MOST_NOTES = 12


class Wishes(NamedTuple):
    """Which seats have asked for a rematch, which seat declined, and the match that followed ("" for none)."""

    asked: tuple[bool, bool] = (False, False)
    declined: int | None = None
    match: str = ""


def wishes_of(events: Sequence[LogEvent], now: datetime) -> Wishes:
    """What the log of an ended match says about a rematch."""
    wishes = Wishes()
    for event in _notes(events):
        said, seat = event.data[REMATCH], event.seat
        assert seat is not None, "it was one of the two who said so"
        if said == "declined":
            wishes = Wishes(declined=seat)
        elif said != "asked":
            wishes = Wishes(match=said)
        elif now - event.at < ASKED_FOR:
            first, second = wishes.asked
            wishes = Wishes((first or seat == 0, second or seat == 1))
    return wishes


def _notes(events: Sequence[LogEvent]) -> list[LogEvent]:
    return [event for event in events if event.kind == "note" and REMATCH in event.data]


async def ask(lobby: Lobby, live: LiveMatch, seat: int) -> str:
    """This seat wants to play again. Returns the match that begins, "" without the other's answer. Raises Refusal."""
    lobby.referee.signal(live, seat, Presence())
    wishes = wishes_of(live.events, datetime.now(UTC))
    if not (wishes.match or wishes.asked[seat]):
        if len(_notes(live.events)) >= MOST_NOTES:
            raise Refusal("too_many", "You two have asked often enough. Create a room and send its link.")
        await lobby.referee.act(live, Note(seat, {REMATCH: "asked"}))
    return await begin_if_agreed(lobby, live)


async def decline(lobby: Lobby, live: LiveMatch, seat: int) -> None:
    """This seat declines, if it was asked."""
    if wishes_of(live.events, datetime.now(UTC)).asked[1 - seat]:
        await lobby.referee.act(live, Note(seat, {REMATCH: "declined"}))


async def agreed_in(lobby: Lobby, room: int, player: int | None) -> str:
    """The rematch that begins when this player sits down where the one they met waits for the answer; "" for none."""
    played = Match.objects.filter(room=room).order_by("-series", "-round", "-opened")
    last = await played.values_list("id", flat=True).afirst()
    live = None if last is None else lobby.referee.hub.get(last) or await lobby.referee.load(last)
    if live is None or not live.over or player is None:
        return ""
    seat = next((seat for seat, who in enumerate(live.state.setup.seats) if who.player == player), None)
    if (
        seat is None
        or not live.presence[1 - seat].here
        or not wishes_of(live.events, datetime.now(UTC)).asked[1 - seat]
    ):
        return ""
    return await ask(lobby, live, seat)


async def at_once(lobby: Lobby, live: LiveMatch, seat: int, begin: Callable[[], Awaitable[LiveRoom]]) -> LiveRoom | str:
    """The rematch of this seat where nobody else has to agree: its match, or the room in which its bot is awaited.
    Several pages of one person may ask for it: the first one begins it, and the others lead there.
    """
    async with lobby.rematching:
        if before := wishes_of(live.events, datetime.now(UTC)).match:
            return before
        room = await begin()
        if room.live is None:
            return room
        await lobby.referee.act(live, Note(seat, {REMATCH: room.live.id}))
        return room.live.id


async def begin_if_agreed(lobby: Lobby, live: LiveMatch) -> str:
    """Begin the rematch if both have asked and both are there. Returns its match, "" if it has not begun."""
    async with lobby.rematching:  # both may accept at once, and a player who comes back checks as well
        wishes = wishes_of(live.events, datetime.now(UTC))
        if wishes.match or not (all(wishes.asked) and all(presence.here for presence in live.presence)):
            return wishes.match
        match = await _begun_before(live) or await _begin(lobby, live)
        await lobby.referee.act(live, Note(0, {REMATCH: match}))
        return match


async def _begun_before(live: LiveMatch) -> str:
    """The rematch that the server began but could not note before it stopped."""
    setup, (first, second) = live.state.setup, _players(live)
    later = Match.objects.filter(variant=setup.variant, ended=None, opened__gt=live.events[-1].at)
    both = later.filter(seats__player=first).filter(seats__player=second)
    return await both.values_list("id", flat=True).afirst() or ""


async def _begin(lobby: Lobby, live: LiveMatch) -> str:
    first, second = _players(live)
    found = {player.pk: player async for player in Player.objects.filter(pk__in=(first, second))}
    if len(found) != 2:
        raise Refusal("gone", "One of you has left, so there is no rematch.")
    room = await _room(lobby, live)
    for side, number in enumerate((second, first)):  # the player who moved second now moves first
        lobby.pages.expect(room.plan.code.upper(), number, ON_THE_WAY_S)
        room.sit(Person(lobby.referee, seat_of_player(found[number])), side)
    await room.begin()
    if room.live is None:
        raise Refusal("no_start", "The match could not begin. Nothing was stored; try again.")
    return room.live.id


def _players(live: LiveMatch) -> tuple[int, int]:
    first, second = (seat.player for seat in live.state.setup.seats)
    assert first is not None and second is not None, "only people are asked, and each is a player"
    return first, second


async def _room(lobby: Lobby, live: LiveMatch) -> LiveRoom:
    """The room where they met if nobody else is there by now, else a new one of the same kind."""
    number = live.state.setup.room
    row = None if number is None else await Room.objects.filter(pk=number).afirst()
    if row is None:
        raise Refusal("no_room", "The room of this match is gone. Create another one.")
    room = await lobby.find(row.code)
    if room is not None and not room.begun and room.sides.are_free and _for_people(room):
        return room
    return await lobby.open_new(like(row))


def _for_people(room: LiveRoom) -> bool:
    return all(place is None or place.kind in (Place.Kind.ME, Place.Kind.ANYONE) for place in room.plan.places)


def like(row: Room) -> dict[str, Any]:
    """The columns of another room in which the same is played."""
    played = ("variant", "settings", "clock", "rounds", "pace_ms", "rated", "offers", "adjudicate", "opening")
    same = (*played, "private", "owner_id", "opener_id")
    return {name: getattr(row, name) for name in same}
