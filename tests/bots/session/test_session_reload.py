"""What a bot is told when its match was read again from the log: every move with the position after that move."""

from __future__ import annotations

import json
from typing import Any

import games
from arena.core.log_store import MemoryStore
from arena.protocols.native.adapter import Native
from tests.bots.session.test_session import opening
from tests.kit.clients import Wire
from tests.kit.refereeing import refereeing

MOVES = ("4", "5", "4", "5")


async def test_each_move_of_an_update_is_told_with_its_own_position() -> None:
    store = MemoryStore()
    async with opening(store) as opened, refereeing(store) as elsewhere:
        seat, port = await opened(Native)
        async with Wire.to(port) as bot:
            await bot.send(json.dumps({"type": "hello", "name": "ada"}))
            await said(bot, "turn")
            there = await elsewhere.load(seat.live.id)
            assert there is not None
            for ply, move in enumerate(MOVES, start=1):
                await elsewhere.play(there, (ply - 1) % 2, ply, move)
            await bot.send(json.dumps({"type": "move", "ply": 1, "move": "7"}))
            heard = [await said(bot, "moved") for _ in MOVES]
            turn = await said(bot, "turn")
    position = games.variant("connect-four-7x6").start()
    for message, move in zip(heard, MOVES, strict=True):
        position = position.play(move)
        assert (message["ply"], message["move"], message["position"]) == (position.ply, move, str(position))
    assert (turn["ply"], turn["position"]) == (position.ply + 1, str(position))


async def said(bot: Wire, wanted: str) -> dict[str, Any]:
    message: dict[str, Any] = {}
    while message.get("type") != wanted:
        message = json.loads(await bot.line())
    return message
