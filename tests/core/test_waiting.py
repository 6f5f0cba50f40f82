"""Who is away is waited for longer in an outage, in a pause by staff, and after it."""

from __future__ import annotations

from datetime import timedelta

from arena.core.waiting import must_wait
from tests.kit.refereeing import refereeing, started


async def test_who_is_away_in_a_pause_has_the_usual_time_after_it() -> None:
    async with refereeing() as referee:
        live = await started(referee)
        assert not must_wait(referee, live, 60)
        await referee.pause(live, "lunch", "Staff")
        assert must_wait(referee, live, 0)
        await referee.resume(live, "Staff")
        assert must_wait(referee, live, 60)
        assert not must_wait(referee, live, 0)
        live.events[-1] = live.events[-1]._replace(at=live.events[-1].at + timedelta(hours=1))  # the clock was set back
        assert not must_wait(referee, live, 60)


async def test_nobody_is_lost_while_nothing_can_be_stored() -> None:
    async with refereeing() as referee:
        live = await started(referee)
        referee.ledger.cut_off(True)
        assert must_wait(referee, live, 60)
        referee.ledger.cut_off(False)
        assert not must_wait(referee, live, 60)
