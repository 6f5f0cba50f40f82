"""What the tests of the players ask the rules themselves, slowly and without the players' shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from random import Random

import games
from games import Position

GROUND_TRUTH = Path(__file__).parents[1] / "data" / "ground_truth"

# Santorini 5x5, the first 18 moves: since the 14th the first player wins by force.
WON_TURNS = (
    "c3 c1 d4 e3 d4-c4+b4 c1-b2+a3 c4-b4+a3 e3-d2+c2 b4-a3+a4 b2-b3+c4 c3-c4+b4 d2-c2+b1 c4-b4+c4 c2-d1+e1 "
    "b4-c3+c4 d1-c2+d3 a3-b4+a4 c2-d3+c4"
)


def never() -> bool:
    return False


def after(calls: int) -> Callable[[], bool]:
    """A clock that runs out after this many calls, the same on every machine."""
    left = iter(range(calls))
    return lambda: next(left, None) is None


def played(position: Position, moves: str) -> Position:
    """The position after these columns, one digit each."""
    return reduce(lambda before, move: before.play(move), moves, position)


def random_positions(slug: str, seed: int) -> Iterator[Position]:
    """Every position of one random match except the final one."""
    rng = Random(seed)
    position = games.variant(slug).start()
    while position.to_move is not None:
        yield position
        position = position.play(rng.choice(position.legal_moves()))


def wins_in_one(position: Position) -> list[str]:
    return [move for move in position.legal_moves() if has_won(position.play(move), position.to_move)]


def winning_replies(position: Position, move: str) -> int:
    behind = position.play(move)
    return len(wins_in_one(behind)) if behind.to_move is not None else 0


def has_won(position: Position, seat: int | None) -> bool:
    outcome = position.outcome()
    return outcome is not None and outcome.winner == seat
