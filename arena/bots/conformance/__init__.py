"""Checks whether a bot speaks its protocol, in named steps: those in the protocol's folder, else the shared ones."""

from __future__ import annotations

from arena.protocols import own_part, protocol
from arena.protocols.shared_steps import FIRST, IN_PIECES, LAST
from arena.protocols.steps import Step


def steps_of(slug: str) -> tuple[Step, ...]:
    """The steps for this protocol. Raises KeyError if there is no such protocol."""
    steps: tuple[Step, ...] = getattr(own_part(protocol(slug).slug, "steps"), "STEPS", (*FIRST, IN_PIECES, *LAST))
    return steps
