"""Waiting for effects elsewhere that nobody reports: asks again and again until the deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.kit.deadline import DEADLINE_S

# Long enough that asking costs nothing beside what is waited for, and short enough that no test is slower for it.
_EVERY_S = 0.01

T = TypeVar("T")


async def until(happened: Callable[[], object], what: object = "") -> None:
    """Let the loop run until it has happened. Raises AssertionError with `what` at the deadline."""
    end = time.monotonic() + DEADLINE_S
    while not happened():
        assert time.monotonic() < end, what or "it never became true"
        await asyncio.sleep(_EVERY_S)


async def asked_until(ask: Callable[[], Awaitable[T]], enough: Callable[[T], object]) -> T:
    """The first sufficient answer. Raises AssertionError with the last one at the deadline."""
    end = time.monotonic() + DEADLINE_S
    while not enough(answer := await ask()):
        assert time.monotonic() < end, answer
        await asyncio.sleep(_EVERY_S)
    return answer


def blocked_until(happened: Callable[[], object], what: object = "") -> None:
    """As `until`, for tests without a loop: nothing else runs in this thread meanwhile."""
    end = time.monotonic() + DEADLINE_S
    while not happened():
        assert time.monotonic() < end, what or "it never became true"
        time.sleep(_EVERY_S)
