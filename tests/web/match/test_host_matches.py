"""The host's own matches as pages see them."""

from __future__ import annotations

import pytest

from arena import host as hosting
from arena.host import Host, NoHost
from arena.match.commands import Refusal
from arena.web.match.host_matches import matches
from tests.kit.browsing import two_people


async def test_a_page_comes_plays_and_goes(host: Host) -> None:
    live, _, _ = await two_people(host)
    source, player = matches(), live.state.setup.seats[0].player
    assert source.host is host and await source.load(live.id) is live and player is not None
    (person,) = host.lobby.people(live, player)
    depart = source.enter(live, player)
    assert person.looks and depart is not None
    await source.play(live, player, "1", "4")
    assert live.state.position.ply == 1
    with pytest.raises(Refusal):
        await source.play(live, None, "2", "4")
    depart()
    assert not person.looks
    assert source.enter(live, 999_999) is None


async def test_nobody_has_left_whose_page_is_closed_because_the_host_goes_down(host: Host) -> None:
    live, _, _ = await two_people(host)
    depart = matches().enter(live, live.state.setup.seats[0].player or 0)
    assert depart is not None
    host.lobby.hold()
    depart()
    assert live.presence[0].here


async def test_who_watches_a_match_that_leaves_memory_meanwhile_sees_it_go_on(host: Host) -> None:
    live, first, _ = await two_people(host, clock="none")
    source = matches()
    loaded = await source.load(live.id)
    assert loaded is live and live.state.setup.may_wait
    host.lobby.let_go(live)
    watched = await source.watch(live)
    await first.play(live, "4")
    assert watched.state.position.ply == 1


async def test_without_a_host_and_without_one_to_follow_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "_here", [])
    with pytest.raises(NoHost):
        matches()
