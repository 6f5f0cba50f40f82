"""What is ended and forgotten while nobody looks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError

from arena.core.hub import LiveMatch
from arena.models import Place, Room
from arena.rooms import room_rows, sweeping
from arena.rooms.lobby import Lobby
from arena.rooms.plan import Plan
from arena.rooms.sweeping import Sweeper
from tests.kit.until import until
from tests.rooms.test_lobby import ADA, CONNECT_FOUR, row, two_people
from tests.rooms.test_lobby import lobby as lobby


def age(live: LiveMatch, by: timedelta) -> None:
    """Let the last event have happened so long ago."""
    live.events[-1] = live.events[-1]._replace(at=datetime.now(UTC) - by)


async def test_a_match_of_two_people_without_a_clock_waits_for_them(lobby: Lobby) -> None:
    _, live = await two_people(lobby)
    age(live, timedelta(days=2))
    await Sweeper(lobby).sweep()
    assert not live.over


async def test_an_empty_room_is_forgotten_after_a_while_and_a_used_one_is_not(lobby: Lobby) -> None:
    empty = await lobby.open("a", CONNECT_FOUR)
    waiting = await lobby.open("b", CONNECT_FOUR)
    lobby.sit_down(waiting, ADA)
    fresh = await lobby.open("c", CONNECT_FOUR)
    for room in (empty, waiting):
        room.changed_at -= sweeping.ROOM_KEPT_S + 1
    await Sweeper(lobby).sweep()
    assert set(lobby.rooms.values()) == {waiting, fresh}
    assert (await row("A")).closed is None and await lobby.find("a") is not None, "its link lives on"


async def test_a_database_that_cannot_be_reached_is_one_line_in_the_log(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looked = 0

    async def look() -> None:
        nonlocal looked
        looked += 1
        if looked < 3:
            raise OperationalError("connection refused")

    monkeypatch.setattr(sweeping, "SWEEP_S", 0)
    sweeper = Sweeper(lobby)
    sweeper.others.append(look)
    sweeper.start()
    await until(lambda: looked > 3)
    await sweeper.close()
    told = [record for record in caplog.records if record.name == "arena.rooms.lobby"]
    assert [record.getMessage() for record in told][0].endswith("trying again: connection refused")
    assert len(told) == 2 and not any(record.exc_info for record in told)


async def test_a_room_that_is_opened_again_while_others_are_forgotten_stays(lobby: Lobby) -> None:
    forgotten = [await lobby.open(f"a{n}", CONNECT_FOUR) for n in range(20)]
    played, live = await two_people(lobby)
    await lobby.referee.resign(live, 0)
    await until(lambda: played.over)
    for room in (*forgotten, played):
        room.changed_at -= sweeping.ROOM_KEPT_S + 1
    _, again = await asyncio.gather(Sweeper(lobby).sweep(), lobby.find("otter-42"))
    assert again is not played and list(lobby.rooms.values()) == [again]
    assert (await row("OTTER-42")).closed is None


async def test_a_match_without_a_room_is_let_go_when_it_is_over(lobby: Lobby) -> None:
    room = await lobby.play_builtin(ADA, "random", 0, Plan("connect-four-7x6"))
    assert room.live is not None
    await Sweeper(lobby).sweep()
    assert lobby.room_of(room.live) is room
    await lobby.referee.resign(room.live, 0)
    await Sweeper(lobby).sweep()
    assert lobby.room_of(room.live) is None


async def test_a_room_with_only_a_built_in_player_is_forgotten(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "ROOM_KEPT_S", 0.0)
    room = await lobby.open("a", CONNECT_FOUR, places=(None, Place(side=1, kind="builtin", level="random")))
    await lobby.seat_kept(room)
    await asyncio.sleep(0.01)
    await Sweeper(lobby).sweep()
    assert lobby.rooms == {}


async def test_a_link_that_nobody_has_used_for_a_day_is_closed(lobby: Lobby) -> None:
    for code in ("old", "fresh", "used", "played"):
        await lobby.open(code, CONNECT_FOUR)
    used, _ = lobby.rooms["USED"], await two_people(lobby, "played")
    lobby.rooms.clear()
    lobby.rooms["USED"] = used
    long_ago = datetime.now(UTC) - room_rows.LINK_LIVES
    await Room.objects.exclude(code="FRESH").aupdate(last_used=long_ago)
    await Sweeper(lobby).sweep()
    assert [code async for code in Room.objects.exclude(closed=None).values_list("code", flat=True)] == ["OLD"]
