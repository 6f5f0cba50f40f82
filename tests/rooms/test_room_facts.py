from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from arena.core.referee import Referee
from arena.match.state import SeatSetup
from arena.models import Place
from arena.rooms.people import Person
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from arena.rooms.room_facts import is_done, is_open
from tests.kit.refereeing import refereeing
from tests.rooms.sitters import CONNECT_FOUR, Sitter, begun


@pytest.fixture
async def room() -> AsyncIterator[LiveRoom]:
    async with refereeing() as referee:
        yield LiveRoom(referee, Plan(CONNECT_FOUR))


async def test_a_room_is_open_while_one_who_is_there_waits_for_anybody(room: LiveRoom) -> None:
    assert not is_open(room) and is_done(room)
    room.sit(Person(room.referee, SeatSetup("Ada")))
    assert is_open(room) and not is_done(room)
    room.is_here = lambda room, who: False
    assert not is_open(room) and is_done(room)
    room.is_here = lambda room, who: True
    room.plan = replace(room.plan, private=True)
    assert not is_open(room)
    room.plan = replace(room.plan, private=False, places=(None, Place(side=1, kind="me", player_id=2)))
    assert not is_open(room)
    room.plan = replace(room.plan, places=(None, None))
    room.sit(Sitter("Bob"))
    assert not is_open(room)


async def test_a_room_is_done_with_its_series_and_not_while_it_is_played_in() -> None:
    async with refereeing() as referee:
        room = await playing(referee)
        assert not is_done(room)
        room.close()
        assert not is_done(room), "its match still runs"
        assert room.live is not None
        await referee.resign(room.live, 0)
        assert is_done(room)


async def playing(referee: Referee) -> LiveRoom:
    return await begun(referee, Sitter("Ada"), Sitter("Bob"))
