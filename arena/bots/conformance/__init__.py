"""Does a bot speak its protocol? Named steps, found by discovery: the module of a protocol has its `STEPS`.

A protocol that brings none of its own has those that every protocol shares.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from arena.protocols import protocol

if TYPE_CHECKING:
    from arena.bots.conformance.check import Step


def steps_of(slug: str) -> tuple[Step, ...]:
    """The steps for this protocol. Raises KeyError where there is no such protocol."""
    name = f"{__name__}.{slug.replace('-', '_')}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        protocol(slug)
        return _shared()
    steps: tuple[Step, ...] = module.STEPS
    return steps


def _shared() -> tuple[Step, ...]:
    from arena.bots.conformance.general import FIRST, IN_PIECES, LAST

    return (*FIRST, IN_PIECES, *LAST)
