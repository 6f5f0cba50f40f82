"""Waiting for what a test caused elsewhere and nobody tells it about: asked again and again, until the deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tests.kit.deadline import DEADLINE_S

# Long enough that asking costs nothing beside what is waited for, and short enough that no test is slower for it.
_EVERY_S = 0.01


async def until(happened: Callable[[], object], what: object = "") -> None:
    """Let the loop run until it has happened. Raises AssertionError with `what` at the deadline."""
    end = time.monotonic() + DEADLINE_S
    while not happened():
        assert time.monotonic() < end, what or "it never became true"
        await asyncio.sleep(_EVERY_S)


def blocked_until(happened: Callable[[], object], what: object = "") -> None:
    """As `until`, for tests without a loop: nothing else runs in this thread meanwhile."""
    end = time.monotonic() + DEADLINE_S
    while not happened():
        assert time.monotonic() < end, what or "it never became true"
        time.sleep(_EVERY_S)
