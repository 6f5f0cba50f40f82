"""Who may see a match: everyone, unless it is played in a private room.

What one may not see is answered as what is not there: 404, in the same words.
"""

from __future__ import annotations

from arena.hub import Live
from arena.models import Room
from arena.web.guests import Visitor


async def may_see(live: Live, visitor: Visitor) -> bool:
    """A private room's match is for its players and for those who have the room's link."""
    if live.private is None:
        await _look_up(live)
    if not live.private:
        return True
    seated = visitor.player is not None and visitor.player in (seat.player for seat in live.state.setup.seats)
    return seated or live.room_code.upper() in visitor.rooms


async def _look_up(live: Live) -> None:
    """A match that was read from its log knows its room's number only."""
    number = live.state.setup.room
    room = None if number is None else await Room.objects.filter(pk=number).afirst()
    live.room_code, live.private = (room.shown_code, room.private) if room else ("", False)
