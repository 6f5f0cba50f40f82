"""After a restart the side of who was asked waits for them, and is theirs once they have come."""

from __future__ import annotations

from arena.rooms import challenging
from arena.rooms.lobby import Lobby
from tests.rooms.test_challenges import asked
from tests.rooms.test_lobby import lobby as lobby


async def test_a_room_that_is_opened_again_seats_who_asked_and_waits_for_who_was_asked(lobby: Lobby) -> None:
    room, _, bob = await asked(lobby)
    challenge = lobby.challenges.of("a", bob.pk)
    lobby.forget(room)
    again = await lobby.find("a")
    assert again is not None and [side is None for side in again.sides] == [True, False]
    assert lobby.challenges.received(bob.pk) == [challenge]
    await challenging.room_of(lobby, challenge)
    lobby.forget(again)
    later = await lobby.find("a")
    assert later is not None and [side is None for side in later.sides] == [False, False]
