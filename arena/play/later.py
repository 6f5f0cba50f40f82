"""Loads a module of the standard library on first use: `dataclasses` imports `inspect` for classes without a docstring,
a fifth of the start of a match. `importlib.util.LazyLoader` would load it on the second import.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _Later(ModuleType):
    def __getattr__(self, name: str) -> object:
        real = sys.modules.get(self.__name__)
        if real is None or real is self:
            sys.modules.pop(self.__name__, None)
            real = __import__(self.__name__)
        return getattr(real, name)


def load(name: str) -> None:
    """Make `import name` defer loading until an attribute of the module is used."""
    sys.modules.setdefault(name, _Later(name))
