"""A bot asks for a seat: one wish at a time, and a refused one may be tried again."""

from __future__ import annotations

from arena.match.commands import Refusal
from arena.protocols.droidcon.adapter import Droidcon
from tests.bots.session.test_session import Opens
from tests.kit.clients import Wire


async def test_a_refused_join_is_answered_and_may_be_tried_again(opened: Opens) -> None:
    seat, port = await opened(Droidcon)
    seat.refusal = Refusal("channel_is_full", "Both seats are taken.")
    async with Wire.to(port) as bot:
        await bot.send("NAME a", "JOIN a")
        assert (await bot.until("Error CHANNEL_IS_FULL"))[0] == "SUCCESS"
        seat.refusal = None
        await bot.send("JOIN a")
        await bot.until("YOUR_MOVE")


async def test_a_second_wish_is_refused_while_a_seat_is_found_for_the_first(opened: Opens) -> None:
    seat, port = await opened(Droidcon)
    async with Wire.to(port) as bot:
        await bot.send("NAME a", "JOIN a", "JOIN b")
        lines = await bot.until("YOUR_MOVE")
    assert sum(line.startswith("Error") for line in lines) == 1 and len(seat.sessions) == 1
