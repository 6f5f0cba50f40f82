"""Who plays against a bot that was hooked up: Club after a while, unless somebody else is chosen."""

from __future__ import annotations

import asyncio

import pytest

from arena.bots.seats.choices import Opener, SideChoice
from arena.host import Host
from arena.match.state import SeatSetup
from arena.rooms.people import Person as Sitting
from arena.rooms.room import LiveRoom
from arena.web.bots import wizard_companion
from tests.kit.until import until

BY = Opener(SeatSetup("Ada", player=None))


@pytest.fixture
async def room(host: Host, monkeypatch: pytest.MonkeyPatch) -> LiveRoom:
    monkeypatch.setattr(wizard_companion, "COMPANION_S", 0.1)
    fields = {"variant": "connect-four-7x6", "clock": "5s", "private": True}
    return await host.room_maker.open_room(fields, (SideChoice("anyone"), SideChoice("anyone")), BY)


def somebody(host: Host, room: LiveRoom, side: int, name: str = "gravity-9") -> None:
    """A person who is there and ready at once stands for the bot."""
    host.lobby.pages.opened(room.plan.code.upper(), None)
    room.sit(Sitting(host.referee, SeatSetup(name, "human", player=None)), side)


async def test_medium_sits_down_once_the_bot_is_ready(host: Host, room: LiveRoom) -> None:
    wizard_companion.wait(host, room, 1, BY)
    somebody(host, room, 1)
    await until(lambda: room.live is not None and not room.live.over)
    assert room.live is not None
    assert [seat.kind for seat in room.live.state.setup.seats] == ["builtin", "human"]


async def test_who_is_not_ready_is_waited_for_and_who_was_forgotten_is_not(host: Host, room: LiveRoom) -> None:
    wizard_companion.wait(host, room, 1, BY)
    wizard_companion.forget(room)
    somebody(host, room, 1)
    other = await host.room_maker.open_room(
        {"variant": "connect-four-7x6"}, (SideChoice("anyone"), SideChoice("anyone")), BY
    )
    wizard_companion.wait(host, other, 1, BY)
    somebody(host, other, 1)
    await until(lambda: other.live is not None)
    assert room.sides[0] is None and room.live is None


async def test_somebody_who_sits_down_meanwhile_plays(host: Host, room: LiveRoom) -> None:
    wizard_companion.wait(host, room, 1, BY)
    somebody(host, room, 1)
    somebody(host, room, 0, "Mira K")
    await room.begin()
    await asyncio.sleep(0)
    assert room.live is not None
    assert [seat.name for seat in room.live.state.setup.seats] == ["Mira K", "gravity-9"]
