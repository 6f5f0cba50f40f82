"""How a built-in player of a level chooses its move, in any process, and its name."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from math import inf
from random import Random
from typing import NamedTuple

import games
from arena.match.state import SeatSetup
from games import players
from games.players.prover import Prover

BUDGET_S = 1.0
# A thought gets at least this share of its budget, however long it waited for a worker: late moves beat bad ones.
_LEAST_SHARE = 0.2
# How many budgets of wall-clock time a move may take when the processor is busy.
_PATIENCE = 2
# How often a player checks the time within about half a second.
_MOST_STEPS = 200


def title(level: str) -> str:
    """The name of the level on pages."""
    return level.capitalize()


def builtin_on_seat(level: str) -> SeatSetup:
    """The setup of a seat for a built-in player of this level."""
    return SeatSetup(name=f"{title(level)} (built in)", kind="builtin", level=level)


class Thought(NamedTuple):
    """One request to a worker; `asked` is from the monotonic clock, which all processes on Linux share."""

    variant: str
    position: str
    level: str
    seed: int
    asked: float
    budget_s: float
    repeatable: bool = False


def choose(thought: Thought, prover: Prover | None = None) -> str:
    """Choose a move in the time that is left, with the help of the `prover`."""
    position = games.variant(thought.variant).parse(thought.position)
    out_of_time = _after_steps() if thought.repeatable else _after_time(thought)
    if prover is not None and thought.repeatable:
        prover.forget()  # otherwise its results from other thoughts would influence this one
    return players.choose(position, thought.level, Random(thought.seed), out_of_time, prover)


def _after_time(thought: Thought) -> Callable[[], bool]:
    """True once the time is over. A level with its own time limit is charged for processor time, so that it is as
    strong on a busy machine as on a quiet one, within twice the budget of wall-clock time. Other levels think for the
    budget.
    """
    budget_s, own_s = thought.budget_s, players.seconds(thought.level)
    patience_s = budget_s if own_s == inf else _PATIENCE * budget_s
    spent = time.thread_time() + min(budget_s, own_s)
    until = max(thought.asked + patience_s, time.monotonic() + _LEAST_SHARE * budget_s)
    return lambda: time.monotonic() > until or time.thread_time() > spent


def _after_steps() -> Callable[[], bool]:
    asked = itertools.count(1)
    return lambda: next(asked) > _MOST_STEPS
