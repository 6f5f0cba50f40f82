"""Does a bot speak its protocol? Named steps, found by discovery: the module of a protocol has its `STEPS`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.bots.conformance.check import Step


def steps_of(slug: str) -> tuple[Step, ...]:
    """The steps for this protocol. Raises KeyError where there are none."""
    name = f"{__name__}.{slug.replace('-', '_')}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        raise KeyError(f"no steps for {slug!r}") from None
    steps: tuple[Step, ...] = module.STEPS
    return steps
