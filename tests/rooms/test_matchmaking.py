from __future__ import annotations

from typing import Any

import pytest

from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.rooms.lobby import Lobby
from arena.rooms.matchmaking import Matchmaker, seat_bot
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from tests.rooms.sitters import Sitter
from tests.rooms.test_lobby import CONNECT_FOUR

FOUR = ("connect-four-7x6",)


class Returning(Sitter):
    """A bot that says its name, and shows by its address that it is back."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setup = SeatSetup(name, "bot", protocol="droidcon", holder=f"address of {name}")
        self.ready = False
        self.successor: Any = None

    def succeeded_by(self, occupant: Any) -> None:
        self.successor = occupant


def waiting(name: str) -> Returning:
    bot = Returning(name)
    bot.ready = True
    return bot


def away(lobby: Lobby, **plan: Any) -> tuple[LiveRoom, Returning]:
    """A room between two rounds, whose first bot has lost its connection."""
    room, bot = lobby.add(Plan(FOUR[0], code="a", first_round=2, rounds=4, **plan)), Returning("ada")
    room.sit(bot, 0)
    room.lose(bot, 60.0)
    return room, bot


async def test_two_bots_that_name_no_room_meet_in_one(host: Host) -> None:
    matchmaker, ada, bob = Matchmaker(host.lobby), waiting("ada"), waiting("bob")
    room = await matchmaker.meet(ada, FOUR, CONNECT_FOUR)
    assert await matchmaker.meet(bob, ("expanding-nim",), {"variant": "expanding-nim"}) is not room
    assert await matchmaker.meet(waiting("cy"), FOUR, CONNECT_FOUR) is room


async def test_one_that_is_gone_before_it_has_a_seat_gets_none(host: Host) -> None:
    with pytest.raises(Refusal, match="ada has gone"):
        await Matchmaker(host.lobby).meet(Returning("ada"), FOUR, CONNECT_FOUR)


async def test_a_challenge_finds_the_player_of_that_name_who_waits(host: Host) -> None:
    matchmaker = Matchmaker(host.lobby)
    room = await matchmaker.meet(waiting("Ada"), FOUR, CONNECT_FOUR)
    assert matchmaker.challenge(waiting("bob"), "ADA") is room
    with pytest.raises(Refusal, match="cy is not waiting"):
        matchmaker.challenge(waiting("dan"), "cy")


async def test_a_bot_that_is_back_has_its_side_again(host: Host) -> None:
    room, before = away(host.lobby)
    other, back = Returning("bob"), Returning("ada")
    assert seat_bot(room, other) == 1, "nobody else has the side that is waited for"
    assert seat_bot(room, back) == 0 and room.sides[0] is back and before.successor is back


async def test_a_challenge_leads_a_bot_that_is_back_to_its_room(host: Host) -> None:
    room, _ = away(host.lobby)
    assert Matchmaker(host.lobby).challenge(Returning("ada"), "nobody") is room


async def test_a_private_room_is_found_by_its_code_alone(host: Host) -> None:
    away(host.lobby, private=True)
    with pytest.raises(Refusal, match="nobody is not waiting"):
        Matchmaker(host.lobby).challenge(Returning("ada"), "nobody")
