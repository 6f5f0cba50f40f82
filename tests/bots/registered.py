"""Registered bots of tests."""

from __future__ import annotations

from typing import Any

from arena.bots import tokens
from arena.models import Bot, Player


async def register(name: str, protocol: str, variant: str = "connect-four-7x6", **fields: Any) -> tuple[Bot, str]:
    """A registered bot and its token."""
    player = await Player.objects.acreate(kind="bot", name=name, slug=name.lower())
    bot = await Bot.objects.acreate(player=player, variant=variant, protocol=protocol, family=name, **fields)
    return bot, await tokens.rotate(bot)
