"""When a match without a clock that does not wait for its people ends for lack of moves; players are warned first."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from arena.match.endings import Termination
from arena.match.state import MatchState

NO_FIRST_MOVE = timedelta(seconds=60)
NO_MOVE = timedelta(hours=24)


class Expiry(NamedTuple):
    """The termination of an inactive match, and the moment after which it applies."""

    termination: str
    at: datetime


def expiry(state: MatchState, last: datetime) -> Expiry | None:
    """The end that applies unless somebody moves; `last` is the time of the last event. None if a clock decides, or the
    match is over or waits for its people. If nobody has moved it has no start; else the side to move loses.
    """
    if state.clock.kind != "none" or state.to_move is None or state.setup.may_wait:
        return None
    called = state.setup.pairing is not None or not any(seat.kind == "human" for seat in state.setup.seats)
    if called and state.moves_made == 0:
        return Expiry(Termination.NO_START, last + NO_FIRST_MOVE)
    return Expiry(Termination.LEFT, last + NO_MOVE)
