"""Wire protocols, found by discovery: a module of this package that defines one `Adapter` is a protocol."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TypeGuard

from arena.protocols.adapter import Adapter


@cache
def protocols() -> dict[str, type[Adapter]]:
    """Every protocol's adapter class by its slug."""
    found: dict[str, type[Adapter]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for value in vars(module).values():
            if _is_protocol(value) and value.__module__ == module.__name__:
                found[value.slug] = value
    return found


def _is_protocol(value: object) -> TypeGuard[type[Adapter]]:
    return isinstance(value, type) and issubclass(value, Adapter) and hasattr(value, "slug")


def protocol(slug: str) -> type[Adapter]:
    """The adapter class of this protocol. Raises KeyError naming the known ones."""
    try:
        return protocols()[slug]
    except KeyError:
        raise KeyError(f"unknown protocol {slug!r}; known: {', '.join(protocols())}") from None


def plays(slug: str, variant: str) -> bool:
    """Whether the protocol can carry this variant."""
    known = protocol(slug).variants
    return not known or variant in known


def choices() -> list[tuple[str, str]]:
    """(slug, title) pairs for forms and model fields: a callable, so that a new protocol is not a migration."""
    return [(slug, adapter.title) for slug, adapter in protocols().items()]
