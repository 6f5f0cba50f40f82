"""Matches between two players: equal openings, seats swapped, processor time for a clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import sqrt
from random import Random
from typing import Any, NamedTuple

import games
from arena.analysis.provers import Provers
from games import Position, players
from tools.strength.before import connect_four, santorini
from tools.strength.before.player import Player

Chooser = Callable[[Position, Random, float], str]

_RANDOM_PLIES = {"connect-four-7x6": 2, "connect-four-8x8": 2, "santorini-5x5": 4, "santorini-6x6": 4}
_DEEP = 200
_Z = 1.96  # 95 %


class Score(NamedTuple):
    """`points` of the first player in this many matches; a draw is half a point."""

    points: float
    matches: int

    @property
    def share(self) -> float:
        return self.points / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 %, which is sensible at 0 and 1 as well."""
        n, p = self.matches, self.share
        middle, half = p + _Z**2 / (2 * n), _Z * sqrt(p * (1 - p) / n + _Z**2 / (4 * n * n))
        return (middle - half) / (1 + _Z**2 / n), (middle + half) / (1 + _Z**2 / n)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.points:g} of {self.matches} = {self.share:.0%} ({low:.0%} to {high:.0%})"


def level(name: str, prover: Provers | None) -> Chooser:
    """A player of this level as it plays today; with None it plays without the kernel."""

    def choose(position: Position, rng: Random, seconds: float) -> str:
        budget = min(seconds, players.seconds(name))
        return players.choose(position, name, rng, _clock(budget), prover)

    return choose


def best_of_before(position: Position, rng: Random, seconds: float) -> str:
    """`best` of before the kernel. Raises KeyError for a game that it does not play."""
    kept: dict[type[Position], Player[Any]] = {
        connect_four.PLAYER.for_position: connect_four.PLAYER,
        santorini.PLAYER.for_position: santorini.PLAYER,
    }
    player = kept[type(position)]
    if wins := player.wins(position):
        return str(rng.choice(wins))
    moves = player.safest(position)
    rng.shuffle(moves)
    return str(player.rank(position, moves, _DEEP, _clock(seconds))[0])


def matches(slug: str, one: Chooser, other: Chooser, count: int, seconds: float, seed: int) -> Iterator[Score]:
    """Play; the score of `one` after each match. Each opening is played twice, `one` in each seat."""
    points = 0.0
    for number in range(count):
        rng, seat = Random(f"{seed} {number}"), number % 2
        position = opening(slug, Random(f"{seed} {slug} {number // 2}"))
        while position.to_move is not None:
            player = one if position.to_move == seat else other
            position = position.play(player(position, rng, seconds))
        outcome = position.outcome()
        assert outcome is not None
        points += 0.5 if outcome.winner is None else float(outcome.winner == seat)
        yield Score(points, number + 1)


def opening(slug: str, rng: Random) -> Position:
    """A position after a few random moves: two players without dice would play one match again and again."""
    position = games.variant(slug).start()
    for _ in range(_RANDOM_PLIES.get(slug, 0)):
        position = position.play(rng.choice(position.legal_moves()))
    return position


def _clock(seconds: float) -> Callable[[], bool]:
    until = time.process_time() + seconds
    return lambda: time.process_time() > until
