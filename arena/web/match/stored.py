"""A match as committed rows have it, for processes that are not the host."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from asgiref.sync import sync_to_async

from arena.core.hub import LiveMatch
from arena.core.log_store import DatabaseStore
from arena.host import NoHost
from arena.match.evolve import replay
from arena.models import Match, Room
from arena.web.joined import with_persons

# Bots are told of the end of their match, and a second later the host stores what went over their connections. It may
# take this long.
WIRES_WITHIN = timedelta(seconds=10)


async def stored(match: str) -> LiveMatch | None:
    """A finished match, None if there is none of this name. Raises NoHost while it runs or its room is open: then the
    host knows more than what is written.
    """
    live = await in_rows(match)
    if live is not None and not await is_settled(live):
        raise NoHost("this match is the host's: it runs, or its room is open")
    return live


async def stored_head(live: LiveMatch) -> str | None:
    """The head of the record, as stored with the ending; None while the match runs, or if it is older than records."""
    if live.state.phase != "ended":
        return None
    return await Match.objects.filter(pk=live.id).values_list("head", flat=True).afirst()


async def in_rows(match: str) -> LiveMatch | None:
    """A match as its log has it, None if there is none."""
    events = await sync_to_async(DatabaseStore().read)(match)
    return await with_persons(LiveMatch(match, replay(events), events) if events else None)


async def is_settled(live: LiveMatch) -> bool:
    """Whether its log says all that there is to say: it is over, and its room is not open."""
    room = live.state.setup.room
    return live.over and (room is None or not await Room.objects.filter(pk=room, closed=None).aexists())


def holds_wires(live: LiveMatch) -> bool:
    """Whether rows hold all that has gone over the connections of its bots: the host may still write what is new."""
    ended = next((event.at for event in reversed(live.events) if event.kind == "ended"), None)
    return ended is not None and datetime.now(UTC) - ended >= WIRES_WITHIN
