"""How much of the machine others use. Above a third of it no measurement can be trusted."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from pathlib import Path

MOST = 0.3
LOOKED_S = 2.0


class TooBusy(Exception):
    """Others take too much of the machine."""


def of_others(most: float = MOST) -> float:
    """The share of all cores that others take, measured for two seconds. Raises TooBusy.

    What our own servers still do meanwhile, such as analysing the matches of the previous repeat, does not count.
    """
    busy, whole, ours = *_ticks(), _own_ticks()
    time.sleep(LOOKED_S)
    busy_now, whole_now, ours_now = *_ticks(), _own_ticks()
    taken = max(0, busy_now - busy - (ours_now - ours)) / max(1, whole_now - whole)
    if taken > most:
        raise TooBusy(f"others take {taken:.0%} of this machine, at most {most:.0%} may be: try later, or with --busy")
    return taken


def _ticks() -> tuple[int, int]:
    """The busy ticks of all cores since the machine was started, and all their ticks."""
    ticks = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def _own_ticks() -> int:
    """The ticks of this process and its descendants, including those that have ended, which count for their parents."""
    below, used = defaultdict[int, list[int]](list), dict[int, int]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
        pid = int(stat.parent.name)
        below[int(fields[1])].append(pid)
        used[pid] = sum(map(int, fields[11:15]))
    tree = [os.getpid()]
    for pid in tree:
        tree += below[pid]
    return sum(used[pid] for pid in tree)
