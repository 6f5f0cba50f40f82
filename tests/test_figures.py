from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import pytest

from arena import figures
from arena.common.logs import about
from arena.figures import KEPT, present
from arena.host import Host
from arena.models import Minute
from tests.kit.browsing import two_people
from tests.kit.deadline import DEADLINE_S


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host writes nothing by itself, whatever the minute in which a test begins and the one in which it ends."""
    monkeypatch.setattr(figures, "EVERY_S", 3600.0)


async def test_the_present_numbers_are_published_by_themselves(host: Host) -> None:
    before = present()
    assert before is not None and (before.matches, before.paused) == (0, 0)
    live, _, _ = await two_people(host)
    await host.referee.pause(live, "rain", "root")
    async with asyncio.timeout(DEADLINE_S):
        while (now := present()) is None or now.paused == 0:
            await asyncio.sleep(0.05)
    assert (now.matches, now.paused, now.bots) == (1, 1, 0)
    await host.stop()
    assert present() is None


@pytest.mark.usefixtures("by_hand")
async def test_a_minute_is_written_down_with_what_happened_in_it(host: Host) -> None:
    live, _, _ = await two_people(host)
    await host.referee.play(live, 0, 1, "4")
    logging.getLogger("arena.host").error("the roof leaks", extra=about(live.id))
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=1)
    await host.figures.write(minute, host.figures.publish())
    row = await Minute.objects.aget()
    assert (row.matches, row.moves, row.errors, row.think_median_ms) == (1, 1, 1, None)
    assert row.commits >= 2 and (row.commit_median_us or 0) <= (row.commit_p99_us or -1)
    assert [(line["message"], line["match"]) for line in row.lines] == [("the roof leaks", live.id)]


@pytest.mark.usefixtures("by_hand")
async def test_what_was_counted_is_not_counted_again_and_the_old_is_forgotten(host: Host) -> None:
    live, _, _ = await two_people(host)
    await host.referee.play(live, 0, 1, "4")
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=2)
    for at in (minute - KEPT, minute, minute + timedelta(minutes=1)):
        await host.figures.write(at, host.figures.publish())
    rows = [row async for row in Minute.objects.order_by("at")]
    assert [row.at for row in rows] == [minute, minute + timedelta(minutes=1)]
    assert [row.moves for row in rows] == [0, 0] and rows[1].commits == 0


@pytest.mark.usefixtures("by_hand")
async def test_of_two_hosts_the_first_ones_minute_stays(host: Host) -> None:
    minute = datetime(2026, 1, 31, 12, tzinfo=UTC)
    numbers = host.figures.publish()
    await host.figures.write(minute, numbers._replace(matches=7))
    await host.figures.write(minute, numbers._replace(matches=8))
    assert (await Minute.objects.aget()).matches == 7


def test_the_numbers_of_another_release_are_taken_as_far_as_both_know_them() -> None:
    now = figures.Present(datetime.now(UTC), matches=3, viewers=2)
    said = now.to_json()
    assert figures.Present.from_json({**said, "cats": 9}) == now
    assert figures.Present.from_json({"at": said["at"], "matches": 3}) == figures.Present(now.at, matches=3)
