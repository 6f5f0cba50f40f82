"""When a running event is read again: at once for news, after a rest for results, and what happens meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from arena.tournaments import pace
from arena.tournaments.pace import Pace


class Given:
    """What `give_next` has heard, and what it answers."""

    def __init__(self) -> None:
        self.over: list[set[int]] = []
        self.heard = asyncio.Event()
        self.is_known = True

    async def next(self, over: set[int]) -> bool:
        self.over.append(over)
        self.heard.set()
        return self.is_known


async def looked(rest_s: float, monkeypatch: pytest.MonkeyPatch) -> tuple[Pace, Given, asyncio.Task[None]]:
    """A look that was followed by a rest of this length, which nothing has ended yet."""
    monkeypatch.setattr(pace, "MOST_REST_S", rest_s)
    monkeypatch.setattr(pace, "RESTS", 1e12)
    found, given = Pace(lambda: 1), Given()
    found.begin()
    await asyncio.sleep(0)
    resting = asyncio.create_task(found.next(given.next))
    await asyncio.sleep(0)
    assert not resting.done()
    return found, given, resting


async def test_news_ends_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    found, given, resting = await looked(1e6, monkeypatch)
    found.over(7)
    await given.heard.wait()
    assert not resting.done()
    found.news()
    await resting
    assert given.over == [{7}]


async def test_after_results_the_next_look_is_due_after_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    found, given, resting = await looked(0.01, monkeypatch)
    found.over(7)
    await resting
    assert given.over in ([], [{7}])  # the rest may be over already


async def test_results_whose_followers_are_not_known_need_a_look_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found, given, resting = await looked(1e6, monkeypatch)
    given.is_known = False
    found.over(7)
    found.over(8)
    await resting
    assert given.over == [{7, 8}]


async def test_what_came_before_a_look_was_seen_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found, given, resting = await looked(1e6, monkeypatch)
    found.news()
    await resting
    found.over(7)
    found.news()
    found.begin()
    resting = asyncio.create_task(found.next(given.next))
    await asyncio.sleep(0)
    assert not resting.done() and given.over == []
    found.news()
    await resting


async def test_no_event_rests_while_none_runs_and_each_rests_longer_beside_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All together take no more of the processor than one alone."""
    monkeypatch.setattr(pace, "RESTS", 1e12)
    monkeypatch.setattr(pace, "MOST_REST_S", 1e6)
    for events in (0, 1):
        found, given = Pace(lambda count=events: count), Given()  # type: ignore[misc]
        found.begin()
        await asyncio.sleep(0)
        found.over(7)
        looking = asyncio.create_task(found.next(given.next))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert looking.done() is (events == 0)
        found.news()
        await looking
