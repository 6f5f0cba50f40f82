"""Built-in players: a position, a level and dice in, a move out.

>>> import random, games
>>> from games import players
>>> position = games.variant("connect-four-7x6").start()
>>> players.choose(position, "casual", random.Random(1), out_of_time=lambda: False) in position.legal_moves()
True

Pure like the rules: the caller supplies the dice and the clock. The same position, dice and answers of `out_of_time`
give the same move. Discovery finds a game's own player (`player.py`); `generic.py` plays every other game.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from games.game import Position
from games.players import generic
from games.players.level import EVERY_LEVEL, Level
from games.players.player import BuiltinPlayer, SearchingPlayer
from games.players.prover import Prover

if TYPE_CHECKING:
    from random import Random

__path__ = pkgutil.extend_path(__path__, __name__)

__all__ = ["LEVELS", "choose", "seconds"]

_BY_NAME = {level.name: level for level in EVERY_LEVEL}
LEVELS = tuple(_BY_NAME)


def choose(
    position: Position, level: str, rng: Random, out_of_time: Callable[[], bool], prover: Prover | None = None
) -> str:
    """A legal move of a player of this level; with a `prover`, `best` plays the moves that it proves best.

    Raises ValueError for an unknown level, and for a match that is over.
    """
    strength = _level(level)
    if position.to_move is None:
        raise ValueError(f"no move to choose: the match is over in {position}")
    player = _player_of(type(position))
    wins = player.wins(position) if rng.random() < strength.sees_win else []
    if wins:
        return rng.choice(wins)
    moves = player.safest(position) if rng.random() < strength.sees_danger else list(position.legal_moves())
    if not strength.depth:
        return _without_looking_ahead(player, position, moves, strength, rng)
    rng.shuffle(moves)  # the first of equal moves is taken, so the order must vary
    if prover is not None and strength.proves:
        search = prover.search(position, out_of_time)
        if search is not None and isinstance(player, SearchingPlayer):
            return player.rank_by(search, position, moves, strength.depth)[0]
        moves = _not_refuted(prover, position, moves, out_of_time)
        if len(moves) == 1:
            return moves[0]
    return _looking_ahead(player, position, moves, strength, rng, out_of_time)


def seconds(level: str) -> float:
    """The most processor time in seconds that this level takes; `inf` for no limit. Raises ValueError if unknown."""
    return _level(level).seconds


def _level(name: str) -> Level:
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"unknown level {name!r}; known: {', '.join(LEVELS)}") from None


def _without_looking_ahead(
    player: BuiltinPlayer[Any], position: Position, moves: Sequence[str], level: Level, rng: Random
) -> str:
    weights = [player.weight(position, move) if level.central else 1 for move in moves]
    return rng.choices(moves, weights)[0]


def _looking_ahead(
    player: BuiltinPlayer[Any],
    position: Position,
    moves: Sequence[str],
    level: Level,
    rng: Random,
    out_of_time: Callable[[], bool],
) -> str:
    slips = len(moves) > 1 and rng.random() < level.slip * player.slips
    return player.rank(position, moves, level.depth, out_of_time)[slips]


def _not_refuted(prover: Prover, position: Position, moves: list[str], out_of_time: Callable[[], bool]) -> list[str]:
    """The best move alone if it is proved; otherwise those of `moves` not proved worse than another."""
    bounds = prover.values(position, out_of_time)
    if bounds is None:
        return moves
    best = max(bounds[move].low for move in moves)
    kept = [move for move in moves if bounds[move].high >= best]
    surest = [move for move in kept if bounds[move].low == best]
    return surest[:1] if best > 0 or all(bounds[move].exact for move in kept) else kept


@cache
def _player_of(kind: type[Position]) -> BuiltinPlayer[Any]:
    """The player for this class of positions or its nearest base class; in the end, the generic one."""
    found = {player.for_position: player for player in _players()}
    return next((found[base] for base in kind.__mro__ if base in found), generic.PLAYER)


@cache
def _players() -> tuple[BuiltinPlayer[Any], ...]:
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return tuple(module.PLAYER for module in modules if isinstance(getattr(module, "PLAYER", None), BuiltinPlayer))
