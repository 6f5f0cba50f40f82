"""A tournament of twelve bots over all transports, whose server is killed thirty times or as often as requested."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tests.tournaments import killing
from tests.tournaments.cast import everybody

KILLS = 30


def main(arguments: list[str]) -> int:
    kills = int(arguments[0]) if arguments else KILLS
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder:
        matches = asyncio.run(killing.play(Path(folder), everybody(Path(folder)), kills, legs=2))
    print(f"killed {kills} times: {matches} of {matches} matches count, none twice")
    return 0
