"""Bots on real sockets whose matches a proof ends: what they are told, and what is left of it."""

from __future__ import annotations

import asyncio

from arena.host import Host
from arena.models import Match
from tests.bots.conftest import Opens
from tests.kit.clients import Droidcon

ROOM = {"variant": "connect-four-7x6", "clock": "5m", "rounds": 1, "adjudicate": 4}


async def two_moves(bot: Droidcon, column: int) -> list[str]:
    """Answer two questions, and leave what comes then unanswered: the rest that was heard."""
    for _ in range(2):
        await bot.until("YOUR_MOVE")
        await bot.send(f"PUT {column}")
    return await bot.rest()


async def test_both_bots_are_told_who_won_and_the_connections_end(host: Host, opened: Opens) -> None:
    await host.lobby.open("otter-42", ROOM)
    port = await opened("droidcon")
    async with Droidcon.to(port) as one, Droidcon.to(port) as two:
        await one.enter("ada", "otter-42")
        await two.enter("bob", "otter-42")
        first, second = await asyncio.gather(two_moves(one, 3), two_moves(two, 0))
    assert first == ["PUT 0", "YOUR_MOVE", "YOU_WON"]
    assert second == ["YOU_LOST"]
    match = await Match.objects.aget()
    assert (match.termination, match.winner, match.plies) == ("adjudicated", 0, 4)
    assert "ada" in match.reason and "wins by force, proved for 4 moves: 4 4 5 " in match.reason
