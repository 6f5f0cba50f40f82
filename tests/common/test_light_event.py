from __future__ import annotations

import asyncio

import pytest

from arena.common.light_event import LightEvent


async def test_who_waits_goes_on_when_it_is_set() -> None:
    latch = LightEvent()
    waiting = [asyncio.create_task(latch.wait()) for _ in range(3)]
    await asyncio.sleep(0)
    assert not latch.is_set() and not any(task.done() for task in waiting)
    latch.set()
    await asyncio.gather(*waiting)
    assert latch.is_set()


async def test_who_comes_later_does_not_wait_and_setting_twice_is_setting() -> None:
    latch = LightEvent()
    latch.set()
    latch.set()
    await latch.wait()


async def test_one_who_is_cancelled_leaves_the_others_waiting() -> None:
    latch = LightEvent()
    one, other = asyncio.create_task(latch.wait()), asyncio.create_task(latch.wait())
    await asyncio.sleep(0)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    latch.set()
    await other


async def test_nobody_waiting_any_more_hurts_nothing() -> None:
    latch = LightEvent()
    waiting = asyncio.create_task(latch.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    latch.set()
    assert latch.is_set()


async def test_once_cleared_it_is_waited_for_anew() -> None:
    latch = LightEvent()
    latch.set()
    latch.clear()
    waiting = asyncio.create_task(latch.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    latch.set()
    await waiting
