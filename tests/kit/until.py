"""Waiting for effects elsewhere that nobody reports: asks again and again until the deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.kit.deadline import DEADLINE_S

# Long enough that a cheap question costs nothing beside what is waited for, and short enough that no test is slower
# for it. After a dear one, which reads a whole event, what is waited for has the core for twenty times as long.
_EVERY_S = 0.01
_TIMES_ITS_COST = 20
_MOST_S = 0.25

T = TypeVar("T")


async def until(happened: Callable[[], object], what: object = "") -> None:
    """Let the loop run until it has happened. Raises AssertionError with `what` at the deadline."""
    end = time.monotonic() + DEADLINE_S
    while not happened():
        assert time.monotonic() < end, what or "it never became true"
        await asyncio.sleep(_EVERY_S)


async def asked_until(ask: Callable[[], Awaitable[T]], enough: Callable[[T], object]) -> T:
    """The first sufficient answer. Raises AssertionError with the last one at the deadline."""
    end = (asked := time.monotonic()) + DEADLINE_S
    while not enough(answer := await ask()):
        await asyncio.sleep(_pause(asked, end, answer))
        asked = time.monotonic()
    return answer


def blocked_until(happened: Callable[[], object], what: object = "") -> None:
    """As `until`, for tests without a loop: nothing else runs in this thread meanwhile."""
    end = (asked := time.monotonic()) + DEADLINE_S
    while not happened():
        time.sleep(_pause(asked, end, what or "it never became true"))
        asked = time.monotonic()


def _pause(asked: float, end: float, what: object) -> float:
    """How long to wait after a question that was asked at this time, in seconds."""
    now = time.monotonic()
    assert now < end, what
    return min(max(_EVERY_S, _TIMES_ITS_COST * (now - asked)), _MOST_S)
