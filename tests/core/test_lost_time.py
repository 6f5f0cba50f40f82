"""What the server took from running turns is told once. What becomes of it: test_turn_timers.py."""

from __future__ import annotations

import asyncio
import time

from arena.core.lost_time import STALL_S, TICK_S, LostTime

Told = list[tuple[float, float]]


class Clock:
    """A clock that goes on when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_stall_of_the_loop_is_told_when_it_is_over() -> None:
    told = Told()
    before = time.monotonic()
    lost = LostTime(lambda began, now: told.append((began, now)))
    time.sleep(0.3)  # noqa: ASYNC251 - this is the stall
    lost.look()
    lost.look()
    ((began, now),) = told
    assert before < began and now - began > 0.2
    lost.close()


async def test_a_turn_of_the_loop_that_is_full_of_acts_is_no_stall() -> None:
    told, clock = Told(), Clock()
    lost = LostTime(lambda began, now: told.append((began, now)), clock)
    for _ in range(1000):
        clock.now += STALL_S
        lost.look()
    assert told == []
    clock.now += TICK_S + 2 * STALL_S
    lost.look()
    assert told == [(clock.now - 2 * STALL_S, clock.now)]
    lost.close()


async def test_nothing_is_told_after_the_end() -> None:
    told = Told()
    lost = LostTime(lambda began, now: told.append((began, now)))
    lost.close()
    time.sleep(0.2)  # noqa: ASYNC251 - this would be a stall
    await asyncio.sleep(0.05)
    assert told == []
