"""When who is away from a match is waited for longer than usual."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from arena.core.hub import LiveMatch
from arena.core.referee import Referee


def must_wait(referee: Referee, live: LiveMatch, seconds: float) -> bool:
    """Whether nobody is lost yet who has been away for so many seconds: nothing can be stored, and maybe no page be
    shown; or staff have paused the match, or let it go on since, and who was away in a pause has that long after it.
    """
    if referee.stands or live.state.paused_by:
        return True
    last = next((event for event in reversed(live.events) if event.kind in ("paused", "resumed")), None)
    if last is None or last.kind != "resumed":
        return False
    passed: timedelta = datetime.now(UTC) - last.at  # less than nothing if the wall clock was set back
    return timedelta(0) <= passed < timedelta(seconds=seconds)
