"""Whole matches of a candidate: opponents that choose in this process, and rounds as the arena plays them."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from arena.bots.conformance.candidate import Candidate
from arena.protocols.adapter import Ended, Moved, ToBot
from games import Position, players

STRONG, STRONG_S = "club", 0.1

Opponent = Callable[[Position, Random], str]


def at_random(position: Position, rng: Random) -> str:
    """Any legal move."""
    return rng.choice(position.legal_moves())


def takes_wins(position: Position, rng: Random) -> str:
    """A win in one where there is one, else any legal move."""
    wins = _wins(position)
    return rng.choice(wins or position.legal_moves())


def never_wins(position: Position, rng: Random) -> str:
    """Any legal move that does not win, as long as there is one."""
    wins = set(_wins(position))
    return rng.choice([move for move in position.legal_moves() if move not in wins] or position.legal_moves())


def is_strong(position: Position, rng: Random) -> str:
    """A built-in player that most bots lose to."""
    end = time.monotonic() + STRONG_S
    return players.choose(position, STRONG, rng, lambda: time.monotonic() > end)


def holds(position: Position, rng: Random) -> str:
    """Strong, but does not win while anything else keeps the other from winning: for full boards."""
    move = is_strong(position, rng)
    wins = set(_wins(position))
    others = [other for other in position.legal_moves() if other not in wins and not _wins(position.play(other))]
    return rng.choice(others) if move in wins and others else move


def _wins(position: Position) -> list[str]:
    seat = position.to_move
    after = ((move, position.play(move).outcome()) for move in position.legal_moves())
    return [move for move, outcome in after if outcome is not None and outcome.winner == seat]


async def play(
    bot: Candidate,
    seat: int,
    opponent: Opponent,
    position: Position,
    rng: Random,
    before: list[ToBot] | None = None,
    last: bool = True,
    late_s: float = 0.0,
) -> Position:
    """The last position of a match from `position`. `before` is told first, by default that the match begins; `last`
    says that no other follows. Raises Failed.
    """
    news = bot.seated(seat, position) if before is None else before
    while position.to_move is not None:
        mover = position.to_move
        if mover == seat:
            move = await bot.ask(position, *news, late_s=late_s)
        else:
            bot.tell(*news)
            move = opponent(position, rng)
        position = position.play(move)
        news = [Moved(mover, move, position)]
    outcome = position.outcome()
    assert outcome is not None, "nobody is to move in a match that is over"
    bot.tell(*news, Ended(outcome.winner, "normal", outcome.reason, position, last))
    return position


def result(position: Position, seat: int) -> str:
    """`won`, `lost` or `drew`, of this seat."""
    outcome = position.outcome()
    assert outcome is not None, "the match is over"
    if outcome.winner is None:
        return "drew"
    return "won" if outcome.winner == seat else "lost"
