"""A module of the standard library that is loaded when somebody looks into it.

`dataclasses` imports `inspect` for classes without a docstring, of which we have none: a fifth of what a match of two
programs starts with. `importlib.util.LazyLoader` loads it at the second import already.
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
    """From now on `import name` loads it no sooner than something of it is asked for."""
    sys.modules.setdefault(name, _Later(name))
