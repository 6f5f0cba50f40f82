"""Finished matches for the tests of profiles, bots and lists: written as the ledger writes them, by the referee."""

from __future__ import annotations

from typing import Any, Literal

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Command, Resign
from arena.match.state import SeatSetup, Setup
from arena.models import Bot, Player

VARIANT = "connect-four-7x6"
# Won by the side that moves first, in seven plies.
WON = "1212121"


async def person(name: str = "Mira K", **fields: Any) -> Player:
    return await Player.objects.acreate(kind="person", name=name, slug=Player.slug_of(name), **fields)


async def a_bot(name: str = "gravity-9", **fields: Any) -> Bot:
    player = await Player.objects.acreate(kind="bot", name=name, slug=Player.slug_of(name))
    kept = {"variant": VARIANT, "protocol": "droidcon", "family": name} | fields
    return await Bot.objects.acreate(player=player, **kept)


def seat_of(player: Player) -> SeatSetup:
    kind: Literal["bot", "human"] = "bot" if player.kind == "bot" else "human"
    return SeatSetup(player.name, kind, player.pk, "droidcon" if kind == "bot" else "", verified=True)


async def match(
    host: Host,
    first: Player,
    second: Player | None = None,
    *,
    moves: str = "",
    end: Command | None = None,
    **setup: Any,
) -> LiveMatch:
    """A match of these two that has ended, by a resignation of the second unless `end` says otherwise."""
    seats = (seat_of(first), seat_of(second) if second else SeatSetup("Ada"))
    live = await host.referee.open(Setup(setup.pop("variant", VARIANT), seats, **setup))
    await host.referee.start(live)
    for ply, move in enumerate(moves, 1):
        await host.referee.play(live, 1 - ply % 2, ply, move)
    if not live.over:
        await host.referee.act(live, end or Resign(1))
    return live
