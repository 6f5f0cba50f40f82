"""A process that plays matches in its database until it is killed, and says each act once it has been acknowledged.

One line an act: the match and the number of its last event, `7gk3mzrq2x 57`. Used by test_referee.py.
"""

from __future__ import annotations

import asyncio
import os
import random

from arena.core.hub import Hub
from arena.core.ledger import Ledger
from arena.core.referee import Referee
from arena.match.state import SeatSetup, Setup
from tests.kit.storage import Database

MATCHES_AT_ONCE = 10
SETUP = Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob")), clock="1m+1s")


async def main() -> None:
    referee = Referee(Ledger(Database(), lambda error: os._exit(3)), Hub())
    await asyncio.gather(*[play_for_ever(referee) for _ in range(MATCHES_AT_ONCE)])


async def play_for_ever(referee: Referee) -> None:
    while True:
        live = await referee.open(SETUP)
        await referee.start(live)
        while not live.over:
            position = live.state.position
            assert position.to_move is not None
            await referee.play(live, position.to_move, position.ply + 1, random.choice(position.legal_moves()))
            os.write(1, f"{live.id} {live.state.seq}\n".encode())
