"""A bot whose connection is gone in the middle of its match: it has a while to come back."""

from __future__ import annotations

import pytest

from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from tests.bots.session.test_session import Opens, ended
from tests.kit.clients import Wire
from tests.kit.refereeing import moves_of
from tests.kit.until import until


async def test_a_seat_with_an_address_is_kept_for_the_grace(opened: Opens) -> None:
    seat, port = await opened(Fiar)
    seat.grace_s = 0.2
    async with Wire.to(port) as bot:
        await bot.line()
    await until(lambda: not seat.live.presence[0].here)
    assert not seat.live.over
    assert await ended(seat.live) == (1, "disconnect")
    assert seat.live.state.reason == "fiar did not come back within 0.2 s"


@pytest.mark.long
async def test_it_is_kept_as_long_as_staff_have_paused_the_match(opened: Opens) -> None:
    seat, port = await opened(Fiar)
    seat.grace_s = 0.2
    async with Wire.to(port) as bot:
        await bot.line()
        live = seat.live
        await seat.referee.pause(live, "lunch", "Staff")
    await until(lambda: not live.presence[0].here)
    first = live.presence[0].until
    await until(lambda: live.presence[0].until != first)
    assert not live.over
    await seat.referee.resume(live, "Staff")
    assert await ended(live) == (1, "disconnect")


async def test_who_is_back_in_time_goes_on_where_the_protocol_can(opened: Opens) -> None:
    seat, port = await opened(Fiar)
    seat.grace_s = 20
    async with Wire.to(port) as bot:
        await bot.line()
        await bot.send("4")
        await until(lambda: moves_of(seat.live) == ["4"])
    await until(lambda: not seat.live.presence[0].here)
    assert seat.live.turn.stands_since is not None, "who is here does not pay for it"
    async with Wire.to(port) as bot:
        await until(lambda: seat.live.presence[0].here)
        assert seat.live.turn.stands_since is None
        await seat.referee.play(seat.live, 1, 2, "4")
        assert await bot.line() == "@ " + "." * 28 + "...O..." + "...@..."
        await bot.send("1")
        await until(lambda: moves_of(seat.live) == ["4", "4", "1"])


async def test_where_the_protocol_cannot_go_on_the_round_is_lost_and_the_next_begins(opened: Opens) -> None:
    seat, port = await opened(Droidcon, rounds=2)
    seat.grace_s = 20
    async with Wire.to(port) as bot:
        await bot.send("NAME a", "JOIN a")
        await bot.until("YOUR_MOVE")
    first = await seat.round(1)
    await until(lambda: not first.presence[0].here)
    async with Wire.to(port) as bot:
        await bot.send("NAME a", "JOIN a")
        assert await bot.until("NEW_GAME") == ["SUCCESS", "SUCCESS", "NEW_GAME"]
        assert await ended(first) == (1, "disconnect")
        second = await seat.round(2)
        await seat.referee.play(second, 0, 1, "1")
        assert await bot.until("YOUR_MOVE") == ["PUT 0", "YOUR_MOVE"]
