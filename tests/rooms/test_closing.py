"""A room that is closed is not found any more, and its row says when it was closed."""

from __future__ import annotations

from arena.models import Room
from arena.rooms import closing
from arena.rooms.lobby import Lobby
from tests.rooms.test_challenges import asked
from tests.rooms.test_lobby import lobby as lobby


async def test_nobody_finds_it_any_more(lobby: Lobby) -> None:
    room, *_ = await asked(lobby)
    await closing.close(lobby, room)
    assert room.over and not lobby.rooms
    assert (await Room.objects.aget()).closed is not None
