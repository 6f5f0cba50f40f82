"""A room that is closed is not found any more, and its row says when it was closed."""

from __future__ import annotations

from arena.models import Room
from arena.rooms import closing
from arena.rooms.lobby import Lobby
from tests.rooms.test_challenges import Woken, asked
from tests.rooms.test_lobby import lobby as lobby


async def test_nobody_finds_it_any_more(lobby: Lobby) -> None:
    room, *_ = await asked(lobby)
    await closing.close(lobby, room)
    assert room.over and not lobby.rooms
    assert (await Room.objects.aget()).closed is not None


async def test_a_challenge_in_it_is_open_no_longer_and_both_are_woken(lobby: Lobby) -> None:
    room, ada, bob = await asked(lobby)
    readers = {player.pk: Woken() for player in (ada, bob)}
    for player, reader in readers.items():
        lobby.challenges.view(reader, player)
    await closing.close(lobby, room)
    assert lobby.challenges.received(bob.pk) == [] == lobby.challenges.answers(ada.pk)
    assert [reader.times for reader in readers.values()] == [1, 1]
