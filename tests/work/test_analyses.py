"""From the end of a match to its analysis: the rows that its ending makes, and a host that does the work."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from arena.host import Host
from arena.match.evolve import line
from arena.match.state import LogEvent
from arena.models import Analysis, Work
from arena.web.match import analysis, frames
from arena.work import analyses
from tests.kit.browsing import two_people
from tests.kit.deadline import DEADLINE_S
from tests.kit.hosting import serving
from tests.web.played import Played

pytestmark = pytest.mark.django_db(transaction=True)


async def ended(host: Host) -> Any:
    live, first, second = await two_people(host)
    for _ in range(3):
        await first.play(live, "4")
        await second.play(live, "5")
    await first.play(live, "4")
    assert live.over
    return live


async def test_a_match_that_ends_is_analysed_and_its_page_is_told(settings: Any) -> None:
    settings.ARENA_WORK_SLOTS = 1
    async with serving() as host:
        live = await ended(host)
        async with asyncio.timeout(2 * DEADLINE_S):
            while live.facts.analysis is None:
                await asyncio.sleep(0.05)
        row = await Analysis.objects.aget(match=live.id)
        assert len(row.kernel) == 12
        text = frames.frame(host, live, "1", live.state.seq)
        assert 'id="analysis" hx-swap-oob="true"' in text and "moves that mattered" in text
        assert "Threw away the win" in text and 'id="m-1"' in text, "the list comes once more"
        assert [await Work.objects.filter(state=state).acount() for state in ("done", "waiting")] == [1, 0]


async def test_without_slots_no_row_is_made() -> None:
    async with serving() as host:
        live = await ended(host)
        assert not await Work.objects.aexists()
        assert await sync_to_async(analyses.submit)([live.id]) == 1
        assert await sync_to_async(analyses.submit)([live.id, "nothing"]) == 1
        assert [work.key async for work in Work.objects.all()] == [f"analyse:{live.id}"]


def test_a_log_becomes_the_moves_that_stand() -> None:
    match = Played("expanding-nim", ["3", "1"], settings={"stones": 20})
    job = analyses.job_of(match.events)
    assert job == {"variant": "expanding-nim", "settings": {"stones": 20}, "moves": ["3", "1"], "opening": 0}


def test_an_analysis_that_does_not_fit_is_as_good_as_none(caplog: pytest.LogCaptureFixture) -> None:
    live = Played(moves="44")
    with pytest.raises(ValueError, match="1 positions have values, expected 3"):
        analyses.analysed(live.events, "x", [[0] * 7])
    assert analyses.unpack(analyses.pack([[1, None, "w"]])) == [[1, None, "w"]]


async def test_a_broken_row_is_said_and_the_page_goes_without(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as host:
        live = await ended(host)
        for broken in (b"", b"no zlib", analyses.pack([[0] * 7]), analyses.pack("x")):
            await Analysis.objects.aupdate_or_create(match_id=live.id, defaults={"kernel": "x", "values": broken})
            await analysis.look_up(live)
            assert live.facts.analysis is None
        assert caplog.text.count("its analysis cannot be read") == 4


def test_what_was_taken_back_is_not_analysed() -> None:
    events: list[LogEvent] = Played(moves="4455").events
    assert analyses.moves_of(line(events)) == list("4455")
