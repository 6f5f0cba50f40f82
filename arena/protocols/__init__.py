"""Wire protocols, found by discovery: each folder whose `adapter.py` defines one `Adapter`, named after the slug with
`_` for `-`, here or below another `arena/protocols/` on the Python path.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from arena.protocols.adapter import Adapter
from arena.protocols.facts import Facts
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType
    from typing import TypeGuard

__path__ = [
    folder for base in sys.modules["arena"].__path__ if os.path.isdir(folder := os.path.join(base, "protocols"))
]


@cache
def protocols() -> dict[str, type[Adapter]]:
    """All adapter classes by slug."""
    return {slug: _adapter_of(slug.replace("-", "_")) for slug in slugs()}


@cache
def slugs() -> tuple[str, ...]:
    """All slugs; no protocol is loaded."""
    folders = {name for base in __path__ for name in os.listdir(base) if os.path.isfile(f"{base}/{name}/adapter.py")}
    return tuple(folder.replace("_", "-") for folder in sorted(folders))


def _loaded(name: str) -> ModuleType:
    """Import a module of this package. Importing `importlib` would add a millisecond to a runner's start."""
    __import__(f"{__name__}.{name}")
    return sys.modules[f"{__name__}.{name}"]


@cache
def _adapter_of(folder: str) -> type[Adapter]:
    module = _loaded(f"{folder}.adapter")
    found = [value for value in vars(module).values() if _is_protocol(value) and value.__module__ == module.__name__]
    if len(found) != 1 or found[0].slug.replace("-", "_") != folder:
        slugs = ", ".join(repr(value.slug) for value in found) or "none"
        expected = folder.replace("_", "-")
        raise ImportError(f"{folder}/adapter.py must define one protocol, {expected!r}; it defines {slugs}")
    return found[0]


def _is_protocol(value: object) -> TypeGuard[type[Adapter]]:
    return isinstance(value, type) and issubclass(value, Adapter) and hasattr(value, "slug")


def protocol(slug: str) -> type[Adapter]:
    """The adapter class of this protocol. Raises KeyError, which names the known slugs.

    Only its own folder is loaded: a runner speaks one protocol and starts sooner that way.
    """
    if folder := folder_of(slug):
        return _adapter_of(os.path.basename(folder))
    raise KeyError(f"unknown protocol {slug!r}; known: {', '.join(slugs())}")


def folder_of(slug: str) -> str | None:
    """The folder of this protocol; None if there is no such protocol."""
    name = slug.replace("-", "_")
    folders = (os.path.join(base, name) for base in __path__ if name.isidentifier())
    return next((folder for folder in folders if os.path.isfile(os.path.join(folder, "adapter.py"))), None)


@cache
def facts_of(slug: str) -> type[Facts]:
    """The facts of this protocol; only the defaults if it no longer exists."""
    return protocol(slug) if folder_of(slug) else Facts


@cache
def own_part(slug: str, name: str) -> ModuleType | None:
    """The module of this name in the protocol's folder, None if there is none."""
    folder = folder_of(slug)
    if folder is not None and os.path.isfile(os.path.join(folder, f"{name}.py")):
        return _loaded(f"{os.path.basename(folder)}.{name}")
    return None


def own_parts(name: str) -> dict[str, ModuleType]:
    """The modules of this name by protocol slug, for those that have one."""
    found = {slug: own_part(slug, name) for slug in slugs()}
    return {slug: part for slug, part in found.items() if part is not None}


def plays(slug: str, variant: str) -> bool:
    """Whether the protocol supports this variant."""
    known = protocol(slug).variants
    return not known or variant in known


def choices() -> list[tuple[str, str]]:
    """(slug, title) pairs for forms and model fields; a callable, so that a new protocol needs no migration."""
    return [(slug, adapter.title) for slug, adapter in protocols().items()]
