"""How a built-in player of a level chooses its move, in whatever process, and what it is called."""

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
# However long a thought had to wait for a worker, it gets this share of its budget: late and good beats never.
_LEAST_SHARE = 0.2
# How many budgets a move may take by the clock while the processor has other things to do.
_PATIENCE = 2
# How often a player asks for the time in about half a second.
_MOST_STEPS = 200


def title(level: str) -> str:
    """The level as pages call it."""
    return level.capitalize()


def builtin_on_seat(level: str) -> SeatSetup:
    """A built-in player of this level on a seat."""
    return SeatSetup(name=f"{title(level)} (built in)", kind="builtin", level=level)


class Thought(NamedTuple):
    """One question to a worker; `asked` is the monotonic clock, which Linux shares among processes."""

    variant: str
    position: str
    level: str
    seed: int
    asked: float
    budget_s: float
    repeatable: bool = False


def choose(thought: Thought, prover: Prover | None = None) -> str:
    """Choose the move, in the time that is left; what can be proven is proven by `prover`."""
    position = games.variant(thought.variant).parse(thought.position)
    out_of_time = _after_steps() if thought.repeatable else _after_time(thought)
    if prover is not None and thought.repeatable:
        prover.forget()  # or what was thought before, for this match or another, would have a say
    return players.choose(position, thought.level, Random(thought.seed), out_of_time, prover)


def _after_time(thought: Thought) -> Callable[[], bool]:
    """A level with a time of its own has it of the processor: it is as strong on a busy machine as on a quiet one, as
    long as nobody waits for twice the budget. Who has none thinks until the budget is over by the clock.
    """
    budget_s, own_s = thought.budget_s, players.seconds(thought.level)
    patience_s = budget_s if own_s == inf else _PATIENCE * budget_s
    spent = time.thread_time() + min(budget_s, own_s)
    until = max(thought.asked + patience_s, time.monotonic() + _LEAST_SHARE * budget_s)
    return lambda: time.monotonic() > until or time.thread_time() > spent


def _after_steps() -> Callable[[], bool]:
    asked = itertools.count(1)
    return lambda: next(asked) > _MOST_STEPS
