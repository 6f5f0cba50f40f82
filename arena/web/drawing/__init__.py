"""Pictures of positions. Pure: a `games.Position` in, escaped HTML and SVG out; no database, no request.

A module of this package that names a `GAME` draws that game; `generic` draws every other, so a new game needs nothing
here. The picture is one SVG and the controls are real buttons over it: keyboard, focus and no-JavaScript come free.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import cast

from arena.web.drawing.view import OOB_MORPH, Artist, Choice, View, board_of

__all__ = ["OOB_MORPH", "Artist", "Choice", "View", "artist", "board_of"]


@cache
def artist(game: str) -> Artist:
    """The module that draws the game with this slug."""
    return _artists().get(game) or _artists()[""]


@cache
def _artists() -> dict[str, Artist]:
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return {module.GAME: cast(Artist, module) for module in modules if hasattr(module, "GAME")}
