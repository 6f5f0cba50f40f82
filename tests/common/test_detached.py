from __future__ import annotations

import asyncio
import contextvars

import pytest

from arena.common.detached import begin, detached
from tests.kit.deadline import DEADLINE_S

REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("REQUEST", default="none")


async def request_seen() -> str:
    return REQUEST.get()


async def test_what_is_begun_apart_knows_nothing_of_the_request() -> None:
    REQUEST.set("a request")
    assert await request_seen() == "a request"
    assert (await detached(request_seen()), await begin(request_seen())) == ("none", "none")


async def test_its_error_is_the_error_of_whoever_waits() -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await detached(broken())


async def test_it_goes_on_when_whoever_waits_is_gone() -> None:
    gate, done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await gate.wait()
        done.set()

    waiting = asyncio.ensure_future(detached(work()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.set()
    async with asyncio.timeout(DEADLINE_S):
        await done.wait()
