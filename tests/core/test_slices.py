"""Work for very many never holds the loop for longer than a slice."""

from __future__ import annotations

import asyncio
import time

import pytest

from arena.core import slices
from arena.core.slices import SLICE_S, Slices
from tests.kit.deadline import DEADLINE_S


async def test_others_go_on_between_two_slices() -> None:
    done: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    order: list[str] = []

    def work(item: str) -> None:
        order.append(item)
        end = time.perf_counter() + SLICE_S
        while time.perf_counter() < end:
            pass
        asyncio.get_running_loop().call_soon(order.append, "others")

    Slices(["a", "b", "c"], work, done.set_result)
    assert len(order) == 1, "the first slice is done at once, and the others later"
    async with asyncio.timeout(DEADLINE_S):
        spent = await done
    assert spent >= 3 * SLICE_S
    assert order[:5] == ["c", "others", "b", "others", "a"]


async def test_a_few_are_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE_S", DEADLINE_S)  # however long the machine stands still meanwhile
    done: list[float] = []
    seen: list[int] = []
    Slices(range(3), seen.append, done.append)
    assert sorted(seen) == [0, 1, 2] and len(done) == 1


async def test_nothing_to_do_is_done() -> None:
    done: list[float] = []
    Slices([], done.append, done.append)
    assert len(done) == 1
