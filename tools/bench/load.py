"""How much of the machine others take. Above a third of it nothing is measured that is to be believed."""

from __future__ import annotations

import time
from pathlib import Path

MOST = 0.3
LOOKED_S = 2.0


class TooBusy(Exception):
    """Others take too much of the machine."""


def of_others(most: float = MOST) -> float:
    """The part of all cores that is taken, for two seconds in which nothing of ours computes. Raises TooBusy."""
    busy, whole = _ticks()
    time.sleep(LOOKED_S)
    busy_now, whole_now = _ticks()
    taken = (busy_now - busy) / max(1, whole_now - whole)
    if taken > most:
        raise TooBusy(f"others take {taken:.0%} of this machine, at most {most:.0%} may be: try later, or with --busy")
    return taken


def _ticks() -> tuple[int, int]:
    """Of all cores since the start of the machine: busy ones, and all."""
    ticks = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)
