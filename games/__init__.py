"""Rules of every game, found by discovery: a module of this package that defines one `Game` is a game.

>>> import games
>>> position = games.variant("connect-four-7x6").start().play("4")
>>> position.to_move, position.ply
(1, 1)

A folder `games/` elsewhere on the Python path adds to this package, so a new game is one file and no list to edit.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from games.game import Board, Cell, Game, IllegalMove, InvalidMove, Outcome, Position, Setting, Variant

__path__ = pkgutil.extend_path(__path__, __name__)

__all__ = [
    "Board",
    "Cell",
    "Game",
    "IllegalMove",
    "InvalidMove",
    "Outcome",
    "Position",
    "Setting",
    "Variant",
    "choices",
    "games",
    "variant",
    "variants",
]


@cache
def games() -> tuple[Game, ...]:
    """Every game of this package, in the order of its module's name."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.ispkg and info.name != "game")
    return tuple(_the_game(name) for name in names)


def _the_game(module_name: str) -> Game:
    module = importlib.import_module(f"{__name__}.{module_name}")
    found = [value for value in vars(module).values() if isinstance(value, Game)]
    if len(found) != 1:
        raise ImportError(f"games/{module_name}.py must define exactly one Game, it defines {len(found)}")
    return found[0]


@cache
def _by_slug() -> dict[str, Variant]:
    return {variant.slug: variant for game in games() for variant in game.variants}


def variants() -> tuple[Variant, ...]:
    """Every variant of every game."""
    return tuple(_by_slug().values())


def variant(slug: str) -> Variant:
    """The variant with this slug. Raises KeyError naming the known ones."""
    try:
        return _by_slug()[slug]
    except KeyError:
        raise KeyError(f"unknown variant {slug!r}; known: {', '.join(_by_slug())}") from None


def choices() -> list[tuple[str, str]]:
    """(slug, title) pairs for forms and model fields: a callable, so that a new game is not a migration."""
    return [(variant.slug, variant.title) for variant in variants()]
