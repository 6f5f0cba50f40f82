"""A match of bots without a clock needs an end of its own. One that waits for people does not: see `parking`."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from arena.common.logs import about
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.endings import Termination
from arena.match.inactivity import expiry

log = logging.getLogger("arena.rooms.lobby")


async def end_if_idle(referee: Referee, live: LiveMatch) -> None:
    """End the match if it has no clock, does not wait for people and nobody has moved for too long."""
    state = live.state
    end = expiry(state, live.events[-1].at)
    if end is None or state.to_move is None or datetime.now(UTC) <= end.at:
        return
    try:
        if end.termination == Termination.NO_START:
            await referee.abort(live, end.termination, "no first move within 60 s")
        else:
            await referee.leave(live, state.to_move, end.termination, "no move for 24 hours")
    except Refusal:
        log.debug("match %s moved on while it was called idle", live.id, extra=about(live.id))
