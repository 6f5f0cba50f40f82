"""The same match through both shells: the blocking driver, and the referee of the server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.match.state import LogEvent
from arena.play.spec import Spec
from tests.kit.live_matches import LocalMatches, Order

# A native bot that plays the first move there is, and resigns at its third turn if it is told to.
NATIVE = """
import json, sys
turns = 0
print(json.dumps({"type": "hello", "name": "else"}))
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "turn":
        turns += 1
        said = {"type": "move", "ply": told["ply"], "move": told["legal"][0]}
        print(json.dumps({"type": "resign"} if turns == 3 and "resign" in sys.argv else said))
"""


def told(events: Sequence[LogEvent]) -> list[tuple[Any, ...]]:
    """What two logs of one match have in common: all but names of matches, wall time and durations.

    Time that a busy machine took from the server's loop, and that it gave back, is a duration too.
    """
    data = [{name: value for name, value in event.data.items() if name != "given_back_ms"} for event in events]
    return [(event.seq, *event[2:6], event.actor, said) for event, said in zip(events, data, strict=True)]


async def through_the_server(spec: Spec) -> list[list[tuple[Any, ...]]]:
    found = {}
    seats, cwd = (spec.seats[0], spec.seats[1]), Path(spec.cwd)
    order = Order(
        spec.variant, seats, spec.rounds, spec.clock, dict(spec.settings), seed=spec.seed, cwd=cwd, keep=spec.keep
    )
    matches = LocalMatches(order, lambda round, live: None, lambda round, live: found.update({round: live.events}))
    await matches.play()
    return [told(found[round]) for round in sorted(found)]
