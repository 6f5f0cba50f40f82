"""A match as committed rows have it, for processes that are not the host."""

from __future__ import annotations

from asgiref.sync import sync_to_async

from arena.core.hub import LiveMatch
from arena.core.log_store import DatabaseStore
from arena.host import NoHost
from arena.match.evolve import replay
from arena.models import Match, Room


async def stored(match: str) -> LiveMatch | None:
    """A match that is over and done with, None where there is no match of this name.

    Raises NoHost while it runs, or while its room is open: then the host knows more than what is written (who is there,
    since when a clock runs, who wants to play again).
    """
    events = await sync_to_async(DatabaseStore().read)(match)
    if not events:
        return None
    live = LiveMatch(match, replay(events), events)
    room = live.state.setup.room
    if not live.over or (room is not None and await Room.objects.filter(pk=room, closed=None).aexists()):
        raise NoHost("this match is the host's: it runs, or its room is open")
    return live


async def stored_head(live: LiveMatch) -> str | None:
    """The head of the record, as stored with the ending; None while the match runs, or if it is older than records."""
    if live.state.phase != "ended":
        return None
    return await Match.objects.filter(pk=live.id).values_list("head", flat=True).afirst()
