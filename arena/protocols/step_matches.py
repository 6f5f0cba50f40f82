"""Whole matches of a bot under test: opponents, and rounds as the arena plays them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.protocols.adapter import Ended, Moved
from arena.protocols.steps import AskBot, Begin, Doing, News, Table, TellBot
from games import Position

Opponent = Callable[[Table, Position], str]


def at_random(table: Table, position: Position) -> str:
    """Any legal move."""
    return table.rng.choice(position.legal_moves())


def takes_wins(table: Table, position: Position) -> str:
    """A win in one if there is one, else any legal move."""
    return table.rng.choice(wins_in(position) or position.legal_moves())


def never_wins(table: Table, position: Position) -> str:
    """A legal move that does not win, as long as there is one."""
    wins = set(wins_in(position))
    return table.rng.choice([move for move in position.legal_moves() if move not in wins] or position.legal_moves())


def is_strong(table: Table, position: Position) -> str:
    """The move of a built-in player that beats most bots."""
    return table.strong_move(position)


def holds(table: Table, position: Position) -> str:
    """A strong player that avoids winning while it can still stop the bot from winning; it fills boards."""
    move = table.strong_move(position)
    wins = set(wins_in(position))
    others = [other for other in position.legal_moves() if other not in wins and not wins_in(position.play(other))]
    return table.rng.choice(others) if move in wins and others else move


def wins_in(position: Position) -> list[str]:
    """The moves that win at once."""
    seat = position.to_move
    after = ((move, position.play(move).outcome()) for move in position.legal_moves())
    return [move for move, outcome in after if outcome is not None and outcome.winner == seat]


def play(
    table: Table, seat: int, opponent: Opponent, position: Position, before: Sequence[News] = (), last: bool = True
) -> Doing[Position]:
    """Play a match from `position` and return its last position. `before` is told first, by default that the match
    begins; `last` tells the bot that no other match follows.
    """
    news: Sequence[News] = before or [Begin(seat, position)]
    while position.to_move is not None:
        mover = position.to_move
        if mover == seat:
            move: str = yield AskBot(position, news)
        else:
            yield TellBot(news)
            move = opponent(table, position)
        position = position.play(move)
        news = [Moved(mover, move, position)]
    outcome = position.outcome()
    assert outcome is not None, "nobody is to move in a match that is over"
    yield TellBot([*news, Ended(outcome.winner, "normal", outcome.reason, position, last)])
    return position


def rounds(table: Table, number: int, *opponents: Opponent) -> Doing[list[str]]:
    """The results of a whole series, in which the bot moves first in the odd rounds; these opponents take turns."""
    results = []
    for n in range(1, number + 1):
        seat, position = (n + 1) % 2, table.variant.start()
        before = [Begin(seat, position, n, number)]
        opponent = opponents[n % len(opponents)]
        position = yield from play(table, seat, opponent, position, before, last=n == number)
        results.append(result(position, seat))
    return results


def result(position: Position, seat: int) -> str:
    """`won`, `lost` or `drew`, for this seat."""
    outcome = position.outcome()
    assert outcome is not None, "the match is over"
    if outcome.winner is None:
        return "drew"
    return "won" if outcome.winner == seat else "lost"
