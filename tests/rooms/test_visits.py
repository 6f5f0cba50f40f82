"""A room is listed while its host has a page of it open, and comes back with them."""

from __future__ import annotations

import asyncio

import pytest

from arena.match.state import SeatSetup
from arena.models import Place
from arena.rooms import room_pages, sweeping
from arena.rooms.lobby import BACK_S, Lobby
from arena.rooms.visits import arrive, ask
from tests.kit.until import until
from tests.rooms.test_lobby import ADA, BOB, CONNECT_FOUR, row
from tests.rooms.test_lobby import lobby as lobby


async def test_a_room_whose_host_has_closed_the_page_is_unlisted_and_comes_back_with_them(lobby: Lobby) -> None:
    room = await lobby.open("a", CONNECT_FOUR)
    lobby.sit_down(room, ADA)
    lobby.pages.opened("A", ADA.player)
    assert lobby.open_rooms() == [room]
    leave_page(lobby, "A", ADA)
    assert lobby.open_rooms() == []
    assert lobby.sit_down(room, BOB) == 1 and not room.playing, "who joins may wait"
    lobby.pages.opened("A", ADA.player)
    await arrive(lobby, "A", ADA.player, "")
    await until(lambda: room.live is not None and room.live.state.phase == "running")


async def test_a_room_of_who_is_not_there_leaves_the_memory_and_waits_in_its_row(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "ROOM_KEPT_S", 0.0)
    mine = Place(side=0, kind="me", player_id=1)
    room = await lobby.open("a", CONNECT_FOUR, places=(mine, None))
    lobby.sit_down(room, ADA)
    leave_page(lobby, "A", ADA)
    await asyncio.sleep(0.01)
    await sweeping.Sweeper(lobby).sweep()
    assert lobby.rooms == {} and (await row("a")).closed is None
    await arrive(lobby, "A", BOB.player, "")
    assert lobby.rooms == {}, "only who opened it brings it back"
    await arrive(lobby, "A", ADA.player, "")
    again = lobby.rooms["A"]
    assert again.sides[0] is not None and again.sides[0].setup.player == ADA.player and again in lobby.open_rooms()


async def test_an_event_that_waits_in_a_room_hears_that_a_player_has_closed_the_page(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It calls that player again; it heard of it when the call was over."""
    monkeypatch.setattr(room_pages, "HERE_S", 0.0)
    room = await lobby.open("a", CONNECT_FOUR)
    lobby.sit_down(room, ADA)
    lobby.pages.opened("A", ADA.player)
    absent: list[bool] = []
    room.followers.add(lambda: absent.append(room.is_absent(0)))
    lobby.pages.closed("A", ADA.player)
    await until(lambda: absent == [True])
    lobby.forget(room)
    told: list[str] = []
    lobby.updates.follow("A", lambda: told.append("gone"))
    lobby.pages.closed("A", ADA.player)
    await until(lambda: told)


async def test_who_waits_hears_that_a_player_has_gone_whose_page_asked_on_its_way_out(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told at the end of the time in which a closed page may come back, when that request still counted."""
    monkeypatch.setattr(room_pages, "HERE_S", 0.5)
    room = await lobby.open("a", CONNECT_FOUR)
    lobby.sit_down(room, ADA)
    lobby.pages.opened("A", ADA.player)
    absent: list[bool] = []
    room.followers.add(lambda: absent.append(room.is_absent(0)))
    lobby.pages.closed("A", ADA.player)
    monkeypatch.setattr(room_pages, "HERE_S", 0.6)
    await ask(lobby, "A", ADA.player, "")
    await until(lambda: absent)
    assert absent == [True]


def leave_page(lobby: Lobby, code: str, who: SeatSetup) -> None:
    """The page is closed, and not loaded again in its time."""
    lobby.pages.closed(code, who.player)
    lobby.pages.expect(code, who.player, 0.0)


async def test_who_sat_in_a_room_sits_there_again_soon_after_a_restart_and_at_no_other_time(lobby: Lobby) -> None:
    room = await lobby.open("a", CONNECT_FOUR)
    await ask(lobby, "A", None, "", 1)
    await ask(lobby, "A", ADA.player, "")
    assert room.sides.are_free
    await ask(lobby, "A", ADA.player, "", 1)
    assert room.sides[0] is None and room.sides[1] is not None and room.sides[1].setup.player == ADA.player
    await ask(lobby, "A", BOB.player, "", 1)
    assert room.sides[0] is None, "somebody has taken that side: the page says so, and moves nobody to the other one"
    lobby.began -= BACK_S
    await ask(lobby, "A", BOB.player, "", 0)
    assert room.sides[0] is None
    await ask(lobby, "B", BOB.player, "", 0)
    assert list(lobby.rooms) == ["A"]
