"""A front that reads the log of one match as far as the host says it goes, also when the database was away."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.db import OperationalError

from arena.core.hub import Hub, LiveMatch
from arena.host import Host
from arena.web.following import match_follower
from arena.web.following.match_follower import MatchFollower
from arena.web.following.publisher import said_of
from arena.web.match import frames
from arena.web.match.followed import FollowedMatch
from tests.kit.browsing import two_people
from tests.kit.until import until
from tests.web.following.fronts import following

pytestmark = pytest.mark.django_db(transaction=True)


def given_up(match: str) -> None:
    raise AssertionError(f"{match} has been given up")


async def test_what_cannot_be_read_is_read_later_and_seen_only_then(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, first, _ = await two_people(host)
    said: list[dict[str, Any]] = []
    mine = FollowedMatch(LiveMatch(live.id, live.state, list(live.events)))
    follower = MatchFollower(mine, Hub(), said.append, given_up)
    await first.play(live, "4")
    read, failures = match_follower._events_from, [OperationalError("away"), OperationalError("away")]

    async def failing(match: str, first: int) -> Any:
        if failures:
            raise failures.pop()
        return await read(match, first)

    monkeypatch.setattr(match_follower, "_events_from", failing)
    monkeypatch.setattr(match_follower, "AGAIN_S", 0.01)
    follower.hear(said_of(host, live))
    assert await follower.begun and not failures
    await until(lambda: [each["kind"] for each in said] == ["seen"])
    assert mine.state == live.state


async def test_a_page_reads_what_is_committed_before_the_host_tells_it(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page that a move leads to shows the move, even if what the host says of it is still on its way."""
    monkeypatch.setattr(match_follower, "TOLD_S", 0.01)
    monkeypatch.setattr(frames, "FRESH_S", 3600.0)
    live, first, second = await two_people(host)
    mine = FollowedMatch(LiveMatch(live.id, live.state, list(live.events)))
    follower = MatchFollower(mine, Hub(), lambda message: None, given_up)
    follower.hear(said_of(host, live))
    assert await follower.begun
    assert 'id="m-1"' not in frames.frame(None, mine, "1", 0)
    await first.play(live, "4")
    await follower.catch_up()
    assert mine.state == live.state and mine.events == live.events
    assert 'id="m-1"' in frames.frame(None, mine, "1", 0), "not the frame of before the move"
    await second.play(live, "4")
    follower.hear(said_of(host, live))
    await follower.catch_up()
    await until(lambda: mine.said.seq == live.state.seq)
    assert mine.state == live.state and mine.events == live.events, "each event once, whoever reads it first"


async def test_who_still_reads_for_a_follower_of_before_adds_nothing_to_the_next(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page reads rows while the host is lost, and a socket follows the match anew before they arrive."""
    async with following() as both:
        live, first, _ = await two_people(host)
        mine = await both.mirror.load(live.id)
        assert isinstance(mine, FollowedMatch)
        before = both.mirror._followed[live.id]
        read, arrived, go_on = match_follower._events_from, asyncio.Event(), asyncio.Event()

        async def slow(match: str, seq: int) -> Any:
            monkeypatch.undo()
            await first.play(live, "4")
            events = await read(match, seq)
            arrived.set()
            await go_on.wait()
            return events

        monkeypatch.setattr(match_follower, "_events_from", slow)
        page = asyncio.ensure_future(before.catch_up())
        await arrived.wait()
        both.mirror.broken()
        again = await both.mirror.watch(mine)
        await until(lambda: again.state == live.state)
        go_on.set()
        await page
        assert again is not mine and again.events == live.events
