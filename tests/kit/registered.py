"""Registered bots of tests."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from arena.bots.session import tokens
from arena.management.listening import is_free
from arena.models import Bot, Player


def own_ports(count: int) -> list[int]:
    """This many of the ports that are kept for bots, with nobody listening on them."""
    return [port for port in settings.ARENA_BOT_PORTS if is_free(port)][:count]


async def register(name: str, protocol: str, variant: str = "connect-four-7x6", **fields: Any) -> tuple[Bot, str]:
    """A registered bot and its token."""
    player = await Player.objects.acreate(kind="bot", name=name, slug=name.lower())
    bot = await Bot.objects.acreate(player=player, variant=variant, protocol=protocol, family=name, **fields)
    return bot, await tokens.rotate(bot)
