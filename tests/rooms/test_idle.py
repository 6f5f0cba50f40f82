from __future__ import annotations

from datetime import UTC, datetime, timedelta

from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.rooms.sweeping import end_if_idle
from tests.rooms.sitters import Sitter, begun


async def running(referee: Referee, clock: str = "none") -> LiveMatch:
    live = (await begun(referee, Sitter("Ada"), Sitter("Bob"), clock=clock)).live
    assert live is not None
    return live


async def after(referee: Referee, live: LiveMatch, quiet: timedelta) -> LiveMatch:
    """The match is looked at when its last event happened so long ago."""
    live.events[-1] = live.events[-1]._replace(at=datetime.now(UTC) - quiet)
    await end_if_idle(referee, live)
    return live


async def test_a_match_that_nobody_begins_has_no_start(referee: Referee) -> None:
    live = await running(referee)
    assert not (await after(referee, live, timedelta(seconds=30))).over
    assert (await after(referee, live, timedelta(seconds=61))).state.termination == "no_start"
    assert live.state.winner is None


async def test_a_match_that_nobody_goes_on_with_is_left_after_a_day(referee: Referee) -> None:
    live = await running(referee)
    await referee.play(live, 0, 1, "4")
    assert not (await after(referee, live, timedelta(hours=23))).over
    assert (await after(referee, live, timedelta(hours=25))).state.termination == "left"
    assert live.state.winner == 0


async def test_a_match_with_a_clock_is_left_to_its_clock(referee: Referee) -> None:
    assert not (await after(referee, await running(referee, clock="24h"), timedelta(hours=2))).over
