"""Bots whose protocol ends the connection come back for the next round, often before they have let go of the last one:
`s = socket.create_connection(…)` in a loop connects first and closes the old socket then.
"""

from __future__ import annotations

from functools import partial

import pytest

from arena.bots.seats import seat_finder
from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.session import tokens
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Play
from arena.rooms import room as rooms
from arena.rooms.reservation import SideState
from tests.bots.conftest import Opens
from tests.bots.placing import ANYONE, FIAR, FIELDS, ME, RANDOM, port
from tests.kit.clients import Droidcon, Wire
from tests.kit.registered import own_ports, register
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")

NIM = {"variant": "expanding-nim", "clock": "2m", "rounds": 2}


async def play_nim(number: int) -> None:
    """Two rounds at this port, on a connection each; both are open until the end."""
    async with Wire.to(number) as first:
        assert await over(first)
        async with Wire.to(number) as second:
            assert await over(second)


async def over(bot: Wire) -> bool:
    """Take one stone again and again, until the arena ends the connection."""
    while (said := await bot.some()) and b"0 0 0 1" not in said:
        await bot.send_bytes(b"1 0")
    await bot.hear()
    return bot.heard.endswith(b"0 0 0 1")


async def test_at_the_port_of_a_seat(host: Host, ada: Opener) -> None:
    room = await host.room_maker.open_room(NIM, (SideChoice("socket", protocol="nyu-nim"), RANDOM), ada)
    await play_nim(port(host, room, 0))


async def test_at_the_port_of_a_registered_bot(host: Host, ada: Opener) -> None:
    bot, _ = await register("gravity-9", "nyu-nim")
    [number] = own_ports(1)
    await tokens.give_port(bot, number)
    await host.room_maker.open_room(NIM, (SideChoice("bot", player=bot.pk), RANDOM), ada)
    await play_nim(number)


async def test_in_a_channel_behind_four_rounds(host: Host, opened: Opens, ada: Opener) -> None:
    door = await opened("droidcon")
    fields = {"variant": "connect-four-7x6", "clock": "2m", "rounds": 6}
    room = await host.room_maker.open_room(fields, (ANYONE, RANDOM), ada)
    async with Droidcon.to(door) as first, Droidcon.to(door) as second:
        await first.enter("ada", room.plan.code)
        assert (await first.play_anything()).count("NEW_GAME") == 4
        await second.enter("ada", room.plan.code)
        assert (await second.play_anything()).count("NEW_GAME") == 2


def has_moved(live: LiveMatch, ply: int) -> bool:
    return live.state.position.ply == ply


async def test_who_has_won_by_what_it_sent_ahead_and_does_not_come_back_is_not_awaited_for_ever(
    host: Host, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_finder, "RETURN_S", 0.1)
    monkeypatch.setattr(rooms, "AFTER_S", 0.1)
    room = await host.room_maker.open_room({**FIELDS, "rounds": 2}, (FIAR, ME), ada)
    async with Wire.to(port(host, room, 0)) as bot:
        await bot.send_bytes(b"1\n1\n1\n1\n")
        assert await bot.line()
        bot.reset()
    live, side = room.live, room.sides.reservations[0]
    assert live is not None
    await until(lambda: side.state is SideState.AWAY)
    awaited = side._giving_up
    await until(lambda: side._giving_up is not awaited)
    assert side.state is SideState.AWAY, "it may still come back"
    for ply in (2, 4, 6):
        await host.referee.act(live, Play(1, ply, "2"))
        await until(partial(has_moved, live, ply + 1))
    assert (live.state.termination, live.state.winner) == ("normal", 0)
    await until(lambda: room.over)
