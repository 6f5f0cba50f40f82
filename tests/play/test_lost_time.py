"""What a process took from running turns is told once. What becomes of it: test_turn_timers.py, test_bout.py."""

from __future__ import annotations

import asyncio
import time

import pytest

from arena.play import lost_time
from arena.play.lost_time import STALL_S, TICK_S, LostTime
from tests.kit.until import until

Told = list[tuple[float, float]]


class Clock:
    """A clock that goes on when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def always() -> bool:
    return True


async def test_a_stall_of_the_loop_is_told_when_it_is_over() -> None:
    told = Told()
    before = time.monotonic()
    lost = LostTime(asyncio.get_running_loop(), lambda began, now: told.append((began, now)), always)
    lost.go_on()
    time.sleep(0.3)  # noqa: ASYNC251 - this is the stall
    lost.look()
    lost.look()
    ((began, now),) = told
    assert before < began and now - began > 0.2
    lost.close()


async def test_a_turn_of_the_loop_that_is_full_of_acts_is_no_stall() -> None:
    told, clock = Told(), Clock()
    lost = LostTime(asyncio.get_running_loop(), lambda began, now: told.append((began, now)), always, clock)
    lost.go_on()
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
    lost = LostTime(asyncio.get_running_loop(), lambda began, now: told.append((began, now)), always)
    lost.go_on()
    lost.close()
    time.sleep(0.2)  # noqa: ASYNC251 - this would be a stall
    await asyncio.sleep(0.05)
    assert told == []


async def test_where_no_turn_is_timed_nothing_ticks_until_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_time, "ASK_S", -1.0)
    told, clock = Told(), Clock()
    lost = LostTime(asyncio.get_running_loop(), lambda began, now: told.append((began, now)), lambda: False, clock)
    lost.go_on()
    assert lost.ticks
    await until(lambda: not lost.ticks)
    clock.now += 60
    lost.look()
    assert told == [], "nobody lost anything"
    lost.go_on()
    clock.now += 60
    lost.look()
    assert len(told) == 1
    lost.close()
