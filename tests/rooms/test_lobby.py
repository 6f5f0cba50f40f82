from __future__ import annotations

import asyncio
import re

import pytest
from django.db import OperationalError, connection

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.models import Match, Place, Player, Room
from arena.rooms import lobby as lobby_module
from arena.rooms import room_codes, room_rows
from arena.rooms.lobby import Lobby
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from tests.kit.refereeing import moves_of
from tests.kit.storage import locked
from tests.kit.until import until
from tests.rooms.sitters import Sitter

CONNECT_FOUR = {"variant": "connect-four-7x6"}
ADA, BOB, CY = (SeatSetup(name, player=number) for number, name in enumerate(("Ada", "Bob", "Cy"), start=1))


@pytest.fixture
async def lobby(host: Host) -> Lobby:
    for number, person in enumerate((ADA, BOB, CY), start=1):
        await Player.objects.acreate(pk=number, kind="guest", name=person.name, slug=person.name)
    return host.lobby


async def two_people(lobby: Lobby, code: str = "otter-42") -> tuple[LiveRoom, LiveMatch]:
    room = await lobby.open(code, CONNECT_FOUR)
    lobby.sit_down(room, ADA)
    lobby.sit_down(room, BOB)
    await room.begin()
    assert room.live is not None
    return room, room.live


async def row(code: str) -> Room:
    return await Room.objects.aget(code=code)


# -- rooms -------------------------------------------------------------------------------------------------------------


async def test_a_room_is_made_once_and_found_in_any_case(lobby: Lobby) -> None:
    rooms = await asyncio.gather(*(lobby.open(code, CONNECT_FOUR) for code in ("Otter-42", "otter-42", "OTTER-42")))
    assert len({id(room) for room in rooms}) == 1
    assert await lobby.find("oTTer-42") is rooms[0]
    assert (await row("OTTER-42")).shown_code == "Otter-42"
    assert await lobby.find("heron-1") is None


async def test_a_room_that_exists_is_played_as_it_was_made(lobby: Lobby) -> None:
    await lobby.open("a", {"variant": "expanding-nim", "clock": "2m", "settings": {"stones": 20}})
    room = await lobby.open("a", CONNECT_FOUR)
    assert (room.plan.variant, room.plan.clock, room.plan.settings) == ("expanding-nim", "2m", {"stones": 20})


async def test_after_its_end_a_room_is_opened_again_for_another_series(lobby: Lobby) -> None:
    room, live = await two_people(lobby)
    await lobby.referee.resign(live, 0)
    await until(lambda: room.over)
    again = await lobby.find("otter-42")
    assert again is not None and again is not room
    assert again.plan.series == room.plan.series + 1 and again.sides.are_free


@pytest.mark.parametrize("gone", [asyncio.CancelledError, OperationalError, Refusal])
async def test_a_room_whose_players_could_not_all_sit_down_is_opened_again(
    lobby: Lobby, gone: type[BaseException]
) -> None:
    """Whoever asked for it has left before our bot was found, or nothing could be read: the next one finds it whole."""
    place = Place(side=1, kind=Place.Kind.COMMAND, player_id=1)
    await room_rows.create("otter-42", CONNECT_FOUR, (None, place))
    failures = [gone("busy", "Too many run.") if gone is Refusal else gone()]

    async def make(player: int) -> Sitter:
        if failures:
            raise failures.pop()
        return Sitter("ours")

    lobby.make_command = make
    with pytest.raises(gone):
        await lobby.find("otter-42")
    room = await lobby.find("otter-42")
    assert room is not None and room.sides[1] is not None


async def test_a_new_room_has_a_code_that_can_be_called_across_a_classroom(lobby: Lobby) -> None:
    room = await lobby.open_new(CONNECT_FOUR)
    animal, number = room.plan.code.split("-")
    assert animal.isalpha() and number.isdecimal()


async def test_a_new_room_opens_no_room_of_old_again(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    await room_rows.create("otter-10", CONNECT_FOUR)
    monkeypatch.setattr(room_codes, "_ANIMALS", ("otter",))
    monkeypatch.setattr(room_codes, "SHORT", 12)
    rooms = [await lobby.open_new(CONNECT_FOUR) for _ in range(3)]
    assert "OTTER-10" not in lobby.rooms and len(lobby.rooms) == 3
    assert any(len(room.plan.code) > len("otter-99") for room in rooms)


async def test_when_all_rooms_are_in_use_there_is_no_other(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "MOST_ROOMS", 2)
    first = await lobby.open("a", CONNECT_FOUR)
    lobby.sit_down(first, ADA)
    lobby.sit_down(await lobby.open("b", CONNECT_FOUR), BOB)
    with pytest.raises(Refusal, match="There are 2 open rooms, the most this server allows"):
        await lobby.open("c", CONNECT_FOUR)
    assert first.sides[0] is not None
    first.stand(first.sides[0])
    await lobby.open("c", CONNECT_FOUR)
    assert set(lobby.rooms) == {"B", "C"}


async def test_rooms_where_somebody_waits_are_listed_longest_first(lobby: Lobby) -> None:
    for code in ("b", "a"):
        lobby.sit_down(await lobby.open(code, CONNECT_FOUR), ADA)
    lobby.sit_down(await lobby.open("hidden", {**CONNECT_FOUR, "private": True}), ADA)
    await lobby.open("empty", CONNECT_FOUR)
    await two_people(lobby, "full")
    assert [room.plan.code for room in lobby.open_rooms()] == ["b", "a"]


# -- people ------------------------------------------------------------------------------------------------------------


async def test_a_match_against_a_built_in_player_begins_at_once_without_a_room(lobby: Lobby) -> None:
    room = await lobby.play_builtin(ADA, "random", 1, Plan("connect-four-7x6"))
    live = room.live
    assert live is not None and live.state.setup.seats[1].name == "Ada"
    await until(lambda: len(moves_of(live)) == 1)
    assert lobby.room_of(live) is room
    assert lobby.people(live, 1)[0] is room.sides[1]
    assert lobby.people(live, 2) == []
    assert (await Match.objects.aget(pk=live.id)).room_id is None


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")
async def test_a_match_whose_page_is_gone_before_it_begins_is_found_all_the_same(lobby: Lobby) -> None:
    with locked():
        asking = asyncio.ensure_future(lobby.play_builtin(ADA, "random", 0, Plan("connect-four-7x6")))
        await until(lambda: lobby.referee.ledger.waiting)
        asking.cancel()
    await until(lambda: lobby.referee.hub.running())
    [live] = lobby.referee.hub.running()
    await until(lambda: live.state.phase == "running")
    assert lobby.room_of(live) is not None


async def test_who_sits_down_twice_sits_once(lobby: Lobby) -> None:
    room = await lobby.open("a", CONNECT_FOUR)
    assert [lobby.sit_down(room, each) for each in (ADA, ADA, BOB)] == [0, 0, 1]
    with pytest.raises(Refusal, match="Both seats are taken"):
        lobby.sit_down(room, CY)


async def test_a_match_leads_to_its_room_while_the_series_lasts(lobby: Lobby) -> None:
    room, live = await two_people(lobby)
    assert lobby.room_of(live) is room and lobby.room_after(live) is room
    await lobby.referee.resign(live, 0)
    await until(lambda: room.over)
    await lobby.find("otter-42")
    assert lobby.room_after(live) is None


# -- housekeeping ------------------------------------------------------------------------------------------------------


async def test_a_room_whose_bot_cannot_be_had_is_asked_for_it_each_time(lobby: Lobby) -> None:
    await room_rows.create("a", CONNECT_FOUR, (None, Place(side=1, kind="command", player_id=1)))
    for _ in range(2):
        with pytest.raises(Refusal, match="This server runs no such bot"):
            await lobby.find("a")
    assert lobby.rooms == {}


# -- sides that are kept -----------------------------------------------------------------------------------------------


async def test_a_side_is_given_to_whom_it_is_kept_for(lobby: Lobby) -> None:
    room = await lobby.open("a", CONNECT_FOUR, places=(Place(side=0, kind="me", player_id=1), None))
    assert (lobby.sit_down(room, BOB, 0), lobby.sit_down(room, ADA, 1)) == (1, 0)
    with pytest.raises(Refusal, match="Both seats are taken"):
        lobby.sit_down(room, CY)


async def test_who_finds_only_a_seat_that_is_kept_is_told_so(lobby: Lobby) -> None:
    room = await lobby.open("a", CONNECT_FOUR, places=(Place(side=0, kind="me", player_id=1), None))
    lobby.sit_down(room, BOB)
    with pytest.raises(Refusal, match="kept for who opened the room"):
        lobby.sit_down(room, CY)
    assert lobby.open_rooms() == []


async def test_a_built_in_player_sits_there_again_when_the_room_is_opened_again(lobby: Lobby) -> None:
    room = await lobby.open("a", CONNECT_FOUR, places=(None, Place(side=1, kind="builtin", level="random")))
    await lobby.seat_kept(room)
    lobby.sit_down(room, ADA)
    await room.begin()
    assert room.live is not None
    await lobby.referee.resign(room.live, 0)
    await until(lambda: room.over)
    again = await lobby.find("a")
    assert again is not None and again.sides[1] is not None and again.sides[1].setup.kind == "builtin"


async def test_the_code_of_a_private_room_is_its_secret(lobby: Lobby) -> None:
    codes = {(await lobby.open_new({**CONNECT_FOUR, "private": True})).plan.code for _ in range(5)}
    assert len(codes) == 5 and all(re.fullmatch("[a-z]+-[2-9a-z]{12}", code) for code in codes)
