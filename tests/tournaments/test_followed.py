"""Matches that went on before a director began: what waits for their end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from arena.core.hub import LiveMatch
from arena.rooms.lobby import Lobby
from arena.tournaments.followed import FollowedMatches
from tests.kit.refereeing import refereeing, started


def no_fault(pairing: int, live: LiveMatch) -> None:
    raise AssertionError("it is nobody's fault, or the server's")


async def test_one_that_nobody_plays_is_ended_and_its_end_is_told_once() -> None:
    async with refereeing() as referee:
        live, ends = await started(referee), list[None]()
        lobby: Any = SimpleNamespace(referee=referee, room_of=lambda live: None)
        followed = FollowedMatches(cast(Lobby, lobby), lambda: ends.append(None), no_fault)
        await followed.add(7, live.id)
        assert live.state.termination == "server_abort" and followed.matches == {} and len(ends) == 1
        await followed.add(7, live.id)
        assert followed.matches == {} and len(ends) == 2, "it is over already"


async def test_one_that_is_played_is_left_to_its_players() -> None:
    async with refereeing() as referee:
        live, ends = await started(referee), list[None]()
        lobby: Any = SimpleNamespace(referee=referee, room_of=lambda live: "a room")
        followed = FollowedMatches(cast(Lobby, lobby), lambda: ends.append(None), no_fault)
        await followed.add(7, live.id)
        assert followed.matches == {7: live} and not live.over
        await referee.resign(live, 0)
        assert followed.matches == {} and len(ends) == 1
