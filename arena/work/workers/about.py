"""What a worker says about itself with every call: its name, what it lends, and how fast it is."""

from __future__ import annotations

import os
import secrets
import socket
import time
from typing import Any, NamedTuple

import games

# The environment variable in which a worker finds this when it begins.
TOLD = "ARENA_WORKER_TOLD"
SPEED_S = 0.2
_VARIANT = "connect-four-7x6"


class About(NamedTuple):
    """A worker. `speed` is how many thousand moves it judges in a second."""

    name: str
    machine_class: str
    slots: int
    speed: int
    rules: str
    version: str
    sandbox: int
    kinds: tuple[str, ...]

    def to_data(self) -> dict[str, Any]:
        """The values in the form that the database functions take; they call the class of a machine its sort."""
        said = self._asdict()
        return {**said, "sort": said.pop("machine_class"), "kinds": list(self.kinds)}


def new_name() -> str:
    """A name of this machine and process that no other has: containers share process numbers."""
    return f"{socket.gethostname()[:40]} {os.getpid()} {secrets.token_hex(3)}"


def speed() -> int:
    """The speed of one core, measured now."""
    position, start, moves = games.variant(_VARIANT).start(), games.variant(_VARIANT).start(), 0
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < SPEED_S:
        legal = position.legal_moves()
        position = position.play(legal[moves % len(legal)]) if legal else start
        moves += 1
    return round(moves / spent / 1000)
