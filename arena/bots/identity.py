"""What a bot is called on pages, in logs and in tables, and what is known of who it is."""

from __future__ import annotations

import re
from dataclasses import replace

from arena.bots.tokens import Identity
from arena.match.state import SeatSetup
from arena.places import UNVERIFIED

LONGEST_NAME = 32
# Whatever a bot calls itself, this is what pages, logs and tables repeat.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9 _.-]+")


def cleaned(name: str) -> str:
    """`name` with what a name may have."""
    return _NOT_IN_NAMES.sub("", name)[:LONGEST_NAME].strip()


def unproven(name: str) -> str:
    """The name of somebody who has proven nothing. TEST tries out a connection and poses as nobody."""
    return name if name.upper() == "TEST" else f"{name}{UNVERIFIED}"


def proven(setup: SeatSetup, who: Identity) -> SeatSetup:
    """`setup` for a registered bot: its own name wins over what it says."""
    return replace(setup, name=who.name, player=who.player, verified=True, holder=who.holder, owner=who.owner)
