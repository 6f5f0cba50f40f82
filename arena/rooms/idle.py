"""A match of bots without a clock needs an end of its own. One that waits for its people does not: `parking`."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

from arena.common.logs import about
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.match.commands import Refusal

log = logging.getLogger("arena.rooms.lobby")

NO_FIRST_MOVE = timedelta(seconds=60)
NO_MOVE = timedelta(hours=24)


async def end_if_idle(referee: Referee, live: LiveMatch) -> None:
    """End the match if it has no clock, does not wait for its people and nobody has moved for too long."""
    state, quiet = live.state, datetime.now(UTC) - live.events[-1].at
    if state.clock.kind != "none" or state.to_move is None or state.setup.may_wait:
        return
    called = state.setup.pairing is not None or not any(seat.kind == "human" for seat in state.setup.seats)
    try:
        if called and state.moves_made == 0 and quiet > NO_FIRST_MOVE:
            await referee.abort(live, "no_start", "no first move within 60 s")
        elif quiet > NO_MOVE:
            await referee.leave(live, state.to_move, "left", "no move for 24 hours")
    except Refusal:
        log.debug("match %s moved on while it was called idle", live.id, extra=about(live.id))
