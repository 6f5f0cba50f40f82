"""The same bots in both shells, the blocking driver and the server's referee: their logs are equal.

`make soak ARGS='shells [MATCHES]'`. For every protocol the sample bot in Python plays this many matches against the
same dice in both, and bots that break the rules play one each. Every field of every event is compared, except names of
matches, wall time and durations.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import django

from arena.play.driver import play
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.protocols import protocols

MATCHES = 200
SEED = 11
FAULTS = ("two_moves", "out_of_range", "huge_line")
# Their sample bots throw their own dice.
DICED = ("native",)
FAULTY = Path(__file__).parents[2] / "tests" / "bots" / "faulty" / "faulty_bot.py"


def main(arguments: list[str]) -> int:
    """Returns 1 if any log differs."""
    matches = int(arguments[0]) if arguments else MATCHES
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder:
        os.environ |= {"ARENA_DATA": folder, "SECRET_KEY": "soak"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
        django.setup()
        different = [slug for slug in protocols() if not _is_equal(slug, matches, folder)]
    return min(len(different), 1)


def _is_equal(slug: str, matches: int, folder: str) -> bool:
    """Prints a line for each protocol, and each match that differs."""
    from tests.bots.faulty.faulty_bot import PROTOCOLS
    from tests.kit.samples import Sample, alone
    from tests.play.shells import NATIVE

    sample, dice = Sample(slug, "py"), BuiltinSeat("random")
    argv = [sys.executable, "-c", NATIVE] if slug in DICED else alone(sample, Path(folder))
    seat = CommandSeat(slug, tuple(argv))
    specs = [Spec(sample.variant, (seat, dice), matches, "1h", seed=SEED, concurrency=2, cwd=folder)]
    for fault in FAULTS if slug in PROTOCOLS else ():
        seat = CommandSeat(slug, (sys.executable, str(FAULTY), slug, fault))
        specs.append(Spec(sample.variant, (seat, dice), clock="1h", seed=SEED, cwd=folder))
    unequal = sum(_unequal(spec) for spec in specs)
    played = sum(spec.rounds for spec in specs)
    print(f"{slug:20} {played - unequal} of {played} matches have the same log", flush=True)
    return not unequal


def _unequal(spec: Spec) -> int:
    from tests.play.shells import through_the_server, told

    here = [told(log.events) for log in play(spec)]
    there = asyncio.run(through_the_server(spec))
    unequal = [number for number, (one, other) in enumerate(zip(here, there, strict=True), 1) if one != other]
    for number in unequal:
        apart = next(
            (pair for pair in zip(here[number - 1], there[number - 1], strict=False) if pair[0] != pair[1]), ()
        )
        print(f"  match {number} of {spec.seats[0]}: {apart or 'one log is longer'}", flush=True)
    return len(unequal)
