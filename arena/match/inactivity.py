"""When a match that has no clock, and does not wait for its people, ends because nobody moves: told before it comes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from arena.match.endings import Termination
from arena.match.state import MatchState

NO_FIRST_MOVE = timedelta(seconds=60)
NO_MOVE = timedelta(hours=24)


class Expiry(NamedTuple):
    """How such a match ends, and after which moment."""

    termination: str
    at: datetime


def expiry(state: MatchState, last: datetime) -> Expiry | None:
    """The end that comes unless somebody moves; `last` is when the last event of its log happened.

    None where a clock, its people or the end of the match decide. Where both sides were called to the board, a match
    that nobody begins has no start; any other is lost by the side to move.
    """
    if state.clock.kind != "none" or state.to_move is None or state.setup.may_wait:
        return None
    called = state.setup.pairing is not None or not any(seat.kind == "human" for seat in state.setup.seats)
    if called and state.moves_made == 0:
        return Expiry(Termination.NO_START, last + NO_FIRST_MOVE)
    return Expiry(Termination.LEFT, last + NO_MOVE)
