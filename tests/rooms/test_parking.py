"""Matches that wait for their people: what they cost meanwhile, and how they come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.models import Event, Match, Player, Room
from arena.rooms import parking, sweeping
from arena.rooms.plan import Plan
from arena.rooms.room_rows import parked
from tests.kit.browsing import Person, match_of
from tests.kit.browsing import two_people as browsing
from tests.kit.refereeing import moves_of
from tests.kit.restarting import ADA, BOB, CONNECT_FOUR, live_in, two_people
from tests.kit.until import until
from tests.web.match.test_moves import words
from tests.web.sockets.test_consumers import watching


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short a while nobody looks; and only these tests sweep."""
    monkeypatch.setattr(parking, "QUIET", timedelta(0))
    monkeypatch.setattr(sweeping, "SWEEP_S", 3600.0)


@pytest.fixture
async def players(host: Host) -> AsyncIterator[None]:
    for number, person in enumerate((ADA, BOB), start=1):
        await Player.objects.acreate(pk=number, kind="guest", name=person.name, slug=person.name)
    yield


async def swept(host: Host) -> None:
    """Nobody has looked for long enough, and once more."""
    for _ in range(2):
        await host.parking.sweep()


async def age(live: LiveMatch, by: timedelta) -> None:
    """Let it have been opened, and all have happened, so long ago."""
    long_ago = datetime.now(UTC) - by
    await Event.objects.filter(match=live.id).aupdate(at=long_ago)
    await Match.objects.filter(pk=live.id).aupdate(opened=long_ago)


async def test_who_leaves_a_friend_or_a_built_in_player_finds_the_match_as_it_was(host: Host) -> None:
    live, first, second = await browsing(host)
    await first.play(live, "4")
    async with watching(first, live) as one, watching(second, live) as two:
        await one.text()
        await two.text()
        await swept(host)
        assert host.hub.get(live.id) is live, "somebody looks"
    assert [presence.here for presence in live.presence] == [False, False] and not live.over
    assert live.presence[0].until is None, "nothing is counted down"
    await swept(host)
    assert host.hub.lives == {} and host.lobby.rooms == {}
    async with watching(second, live) as socket:
        assert "is offline." in await socket.until("is offline.")
        await socket.send(ply=2, move="4")
        await socket.until('id="m-2"')
    again = host.hub.get(live.id)
    assert again is not None and again is not live and host.lobby.room_of(again) is not None
    assert (await Room.objects.aget(code=live.room_code.upper())).closed is None


async def test_a_room_is_found_only_with_its_match_in_it(host: Host, players: None) -> None:
    """Whoever came by then would sit down there and begin another; and who had asked for the match may be gone."""
    live = await two_people(host)
    await swept(host)
    stored = await host.referee.load(live.id)
    assert stored is not None and host.lobby.rooms == {}
    waking = asyncio.ensure_future(host.parking.wake(stored))
    while not host.lobby.rooms:
        await asyncio.sleep(0)
    assert host.lobby.rooms["OTTER-42"].live is stored
    assert await waking is stored


async def test_one_that_a_proof_may_end_costs_no_memory_either(host: Host, players: None) -> None:
    live = await two_people(host, adjudicate=4)
    await swept(host)
    assert host.hub.lives == {}
    back = await host.referee.load(live.id)
    assert back is not None and host.lobby.room_of(await host.parking.wake(back)) is not None
    await swept(host)
    assert host.hub.lives == {}


async def test_a_built_in_player_answers_when_its_person_is_back(host: Host) -> None:
    person = Person()
    match = match_of(await person.post("/play/", variant="connect-four-7x6", move="4", level="beginner"))
    await until(lambda: len(moves_of(host.hub.lives[match])) == 2)
    await swept(host)
    assert host.hub.lives == {}
    assert (await Person().get(f"/m/{match}/")).status_code == 200
    assert host.lobby.room_of(host.hub.lives[match]) is None, "who only watches brings nobody back"
    await swept(host)
    assert host.hub.lives == {}
    answer = await person.post(f"/m/{match}/move/", ply=3, move="4")
    assert answer.status_code == 302
    await until(lambda: len(moves_of(host.hub.lives[match])) == 4)


async def test_the_clock_of_who_left_a_built_in_player_stands(host: Host, players: None) -> None:
    room = await host.lobby.play_builtin(ADA, "random", 0, Plan("connect-four-7x6", clock="5m"))
    live, person = live_in(room), host.lobby.people(live_in(room), 1)[0]
    assert person is not None and live.turn.deadline is not None
    person.arrived()
    person.departed()
    assert live.turn.deadline is None
    person.arrived()
    assert live.turn.deadline is not None


async def test_who_has_a_clock_against_a_person_does_not_wait(host: Host, players: None) -> None:
    live = await two_people(host, clock="5m")
    await swept(host)
    assert host.hub.get(live.id) is live
    person = host.lobby.people(live, 1)[0]
    assert person is not None
    person.arrived()
    person.departed()
    assert live.presence[0].until is not None, "both see how long"


async def test_the_room_of_a_match_that_waits_is_not_played_in_anew(host: Host) -> None:
    live, first, second = await browsing(host)
    await swept(host)
    names = [seat.name for seat in live.state.setup.seats]
    page = words(await Person().get(f"/r/{live.room_code}/"))
    assert all(name in page for name in names) and "Free seat" not in page and "Sit down" not in page
    page = words(await second.get(f"/r/{live.room_code}/"))
    assert f"A match is running: {names[0]} against {names[1]}." in page and "Back to it" in page
    assert match_of(await second.get(f"/r/{live.room_code}/state/")) == live.id
    assert host.lobby.rooms == {}, "who only looks brings nobody back"
    room = await host.lobby.find(live.room_code)
    assert room is not None and room.live is not None and room.live.id == live.id
    answer = await Person().post(f"/r/{live.room_code}/sit/")
    assert answer["Location"] == f"/r/{live.room_code}/", "the room says that both seats are taken"


async def test_two_who_come_back_at_once_are_at_one_match(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    live, first, second = await browsing(host)
    await swept(host)
    monkeypatch.setattr(parking, "QUIET", timedelta(hours=1))  # the host's own sweep may come before the last answer
    await asyncio.gather(*(person.get(f"/m/{live.id}/") for person in (first, second) * 2))
    assert len(host.hub.lives) == len(host.lobby.rooms) == 1


async def test_nobody_comes_back_for_days_and_the_match_has_no_result(host: Host) -> None:
    live, first, second = await browsing(host)
    await swept(host)
    await age(live, timedelta(days=13))
    await host.parking.end_abandoned()
    assert (await Match.objects.aget(pk=live.id)).ended is None
    await age(live, timedelta(days=15))
    host.hub.lives.clear()
    await host.parking.end_abandoned()
    row = await Match.objects.aget(pk=live.id)
    assert (row.termination, row.winner, row.reason) == ("abandoned", None, "nobody has moved for 14 days")
    assert "Nobody has moved for 14 days." in (await first.get(f"/m/{live.id}/")).content.decode()


async def test_a_thousand_that_wait_are_left_in_their_rows_at_a_start(host: Host, players: None) -> None:
    people = await two_people(host)
    bot = Setup("connect-four-7x6", (ADA, SeatSetup("b", "bot", protocol="fiar")))
    with_bot = await host.referee.open(bot)
    await host.referee.start(with_bot)
    fresh = await host.lobby.open("fresh", CONNECT_FOUR)
    for live in (people, with_bot):
        await age(live, timedelta(hours=1))
    assert fresh.live is None and await parked() == {people.id}
