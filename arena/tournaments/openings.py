"""Opening sets: starts of matches after some random moves, so that deterministic bots do not repeat one game. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from games import Position, variant

if TYPE_CHECKING:
    from random import Random

# A small game has few starts: the search ends after this many tries for each.
TRIES = 20


def openings(slug: str, settings: Mapping[str, Any], plies: int, count: int, rng: Random) -> list[str]:
    """At most `count` starts of `plies` moves, written with blanks between them: none is over or won with the next
    move, and no two lead to one position. With `plies` 0 there is only the initial one.
    """
    start = variant(slug).start(**settings)
    found: dict[str, str] = {}
    for _ in range(count * TRIES):
        if len(found) == count:
            break
        moves, position = _walk(start, plies, rng)
        if position is not None and not _can_be_won_at_once(position):
            found.setdefault(str(position), " ".join(moves))
    return list(found.values())


def _walk(position: Position, plies: int, rng: Random) -> tuple[list[str], Position | None]:
    """Random moves, and where they lead; None if the match is over before or after the last of them."""
    moves: list[str] = []
    for _ in range(plies):
        if position.outcome() is not None:
            return moves, None
        moves.append(rng.choice(position.legal_moves()))
        position = position.play(moves[-1])
    return moves, None if position.outcome() is not None else position


def _can_be_won_at_once(position: Position) -> bool:
    outcomes = (position.play(move).outcome() for move in position.legal_moves())
    return any(outcome is not None and outcome.winner == position.to_move for outcome in outcomes)
