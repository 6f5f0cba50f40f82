"""A process that plays rated matches among eight players until it is killed; it rules on some of them.

One line an ending, once it has been acknowledged. Used by test_ratings_killed.py.
"""

from __future__ import annotations

import asyncio
import os
import random

from arena.core.hub import Hub
from arena.core.ledger import Ledger
from arena.core.referee import Referee
from arena.match.state import SeatSetup, Setup
from arena.models import Player
from tests.kit.storage import Database

MATCHES_AT_ONCE = 10
RULED = 0.1


async def main() -> None:
    names = [f"player-{number}" for number in range(8)]
    players = [
        (await Player.objects.aget_or_create(slug=name, defaults={"kind": "bot", "name": name}))[0] for name in names
    ]
    seats = [SeatSetup(player.name, "bot", player.pk, verified=True) for player in players]
    referee = Referee(Ledger(Database(), lambda error: os._exit(3)), Hub())
    await asyncio.gather(*[play_for_ever(referee, seats) for _ in range(MATCHES_AT_ONCE)])


async def play_for_ever(referee: Referee, seats: list[SeatSetup]) -> None:
    while True:
        first, second = random.sample(seats, 2)
        live = await referee.open(Setup("connect-four-7x6", (first, second), rated=True))
        await referee.start(live)
        await referee.play(live, 0, 1, "4")
        await referee.resign(live, random.randrange(2))
        if random.random() < RULED:
            await referee.rule(live, "void", None, "the cable was pulled", "staff 1")
        os.write(1, f"{live.id}\n".encode())
