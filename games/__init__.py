"""The rules of every game, found by discovery: each module of this package that defines one `Game` is a game.

>>> import games
>>> position = games.variant("connect-four-7x6").start().play("4")
>>> position.to_move, position.ply
(1, 1)

A folder `games/` elsewhere on the Python path extends this package, so a new game is one file and no list to edit.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from games.game import Board, Cell, Game, IllegalMove, InvalidMove, Outcome, Position, RefusedMove, Setting, Variant

# `pkgutil.extend_path` does the same, but importing it takes longer than starting Python.
__path__ += [folder for base in sys.path if os.path.isdir(folder := os.path.abspath(os.path.join(base, "games")))]
__path__ = list(dict.fromkeys(__path__))

__all__ = [
    "Board",
    "Cell",
    "Game",
    "IllegalMove",
    "InvalidMove",
    "Outcome",
    "Position",
    "RefusedMove",
    "Setting",
    "Variant",
    "choices",
    "games",
    "slugs",
    "variant",
    "variants",
]


@cache
def games() -> tuple[Game, ...]:
    """Every game of this package, in the order of module names."""
    return tuple(_the_game(name) for name in _names())


def _names() -> list[str]:
    files = {file for folder in __path__ for file in os.listdir(folder) if file.endswith(".py")}
    return sorted(file[:-3] for file in files - {"__init__.py", "game.py", "named.py"})


@cache
def _the_game(module_name: str) -> Game:
    name = f"{__name__}.{module_name}"
    __import__(name)  # importing `importlib` would add a millisecond to a start
    module = sys.modules[name]
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


def slugs() -> tuple[str, ...]:
    """The slug of every variant."""
    return tuple(_by_slug())


@cache
def variant(slug: str) -> Variant:
    """The variant with this slug. Raises KeyError, which names the known slugs.

    A game whose module name begins the slug is tried first, so that a runner loads no other game.
    """
    names = sorted(_names(), key=lambda name: not slug.startswith(name.replace("_", "-")))
    found = (variant for name in names for variant in _the_game(name).variants if variant.slug == slug)
    if (variant := next(found, None)) is None:
        raise KeyError(f"unknown variant {slug!r}; known: {', '.join(_by_slug())}")
    return variant


def choices() -> list[tuple[str, str]]:
    """(slug, title) pairs for forms and model fields; a callable, so that a new game needs no migration."""
    return [(variant.slug, variant.printed) for variant in variants()]
