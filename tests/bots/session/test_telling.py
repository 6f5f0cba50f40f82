"""What a bot is told of the rounds that it plays on one connection."""

from __future__ import annotations

from arena.protocols.droidcon.adapter import Droidcon
from tests.bots.session.test_session import Opens
from tests.kit.clients import Wire
from tests.kit.until import until


async def test_a_connection_plays_as_many_rounds_as_its_protocol_has(opened: Opens) -> None:
    seat, port = await opened(Droidcon, rounds=5)
    async with Wire.to(port) as bot:
        await bot.send("NAME a", "JOIN a")
        for number in range(1, 5):
            live = await seat.round(number)
            await seat.referee.resign(live, number % 2)
        lines = await bot.rest()
    assert lines.count("NEW_GAME") == 4 and lines[-1] == "YOU_WON"
    assert not seat.room.over and seat.room.round == 5


async def test_a_round_that_ended_by_our_fault_is_not_one_of_them(opened: Opens) -> None:
    seat, port = await opened(Droidcon, rounds=4)
    async with Wire.to(port) as bot:
        await bot.send("NAME a", "JOIN a")
        await bot.until("YOUR_MOVE")
        first = await seat.round(1)
        await seat.referee.abort(first, "server_abort", "broken")
        await until(lambda: seat.live is not first)
        for number in range(1, 5):
            await seat.referee.resign(await seat.round(number), number % 2)
        lines = await bot.rest()
    assert lines.count("NEW_GAME") == 4 and seat.room.over
