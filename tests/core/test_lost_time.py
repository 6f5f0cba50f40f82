"""What the server took from running turns is told once. What becomes of it: test_referee_time.py."""

from __future__ import annotations

import asyncio
import time

from arena.core.ledger import Ledger
from arena.core.log_store import MemoryStore
from arena.core.lost_time import LostTime
from tests.core.test_ledger_failing import never_dies

Told = list[tuple[str, float, float]]


async def watching() -> tuple[Ledger, LostTime, Told]:
    ledger, told = Ledger(MemoryStore(), never_dies), Told()
    stalled = lambda began, now: told.append(("stalled", began, now))  # noqa: E731
    failed = lambda began, now: told.append(("failed", began, now))  # noqa: E731
    return ledger, LostTime(ledger, stalled, failed), told


async def test_a_stall_of_the_loop_is_told_when_it_is_over() -> None:
    ledger, lost, told = await watching()
    before = time.monotonic()
    time.sleep(0.3)  # noqa: ASYNC251 - this is the stall
    lost.look()
    ((what, began, now),) = told
    assert what == "stalled" and before < began and now - began > 0.2
    lost.close()
    await ledger.close()


async def test_while_storage_fails_a_stall_is_part_of_that_and_nothing_is_told_twice() -> None:
    ledger, lost, told = await watching()
    before = time.monotonic()
    ledger.failing = True
    time.sleep(0.3)  # noqa: ASYNC251 - this is the stall
    lost.look()
    assert told == []
    ledger.failing = False
    ledger.on_restored(0.1)
    ((what, began, now),) = told
    assert what == "failed" and now - began > 0.2 and began > before
    ledger.on_restored(10.0)
    assert told[1][1] >= now, "what lies before was given back already"
    lost.close()
    await ledger.close()


async def test_nothing_is_told_after_the_end() -> None:
    ledger, lost, told = await watching()
    lost.close()
    time.sleep(0.2)  # noqa: ASYNC251 - this would be a stall
    await asyncio.sleep(0.05)
    assert told == []
    await ledger.close()
