"""What a room is to people outside it: open to anybody, awaiting a player's return, or done."""

from __future__ import annotations

from arena.match.state import SeatSetup
from arena.rooms.reservation import is_back, is_run_here
from arena.rooms.reservation import is_open as is_free
from arena.rooms.room import LiveRoom


def is_awaited(room: LiveRoom, side: int, bot: SeatSetup) -> bool:
    occupant = room.sides[side]
    return room.sides.is_away(side) and occupant is not None and is_back(occupant.setup, bot)


def is_done(room: LiveRoom) -> bool:
    """Whether the room can be forgotten: only our own players are left in it, and they wait for nobody."""
    if room.playing or room.sides.are_offered:
        return False
    return room.over or not any(
        occupant is not None
        and occupant.setup.kind != "builtin"
        and not (is_run_here(room.plan.places[side]) or room.is_absent(side))
        for side, occupant in enumerate(room.sides)
    )


def is_open(room: LiveRoom) -> bool:
    """Whether a player waits there for any opponent."""
    waiting = [side for side in (0, 1) if room.sides[side] is not None]
    if len(waiting) != 1 or room.over or room.plan.private or not is_free(room.plan.places[1 - waiting[0]]):
        return False
    occupant = room.sides[waiting[0]]
    gone = room.sides.is_away(waiting[0]) or room.is_absent(waiting[0])
    return occupant is not None and not gone and not occupant.setup.is_test
