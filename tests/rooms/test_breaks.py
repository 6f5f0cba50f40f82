from __future__ import annotations

import asyncio

from arena.rooms.breaks import Break


async def test_what_follows_is_called_when_it_is_over() -> None:
    over = asyncio.Event()
    pause = Break()
    assert pause.left_s is None
    pause.begin(0.0, over.set)
    assert pause.left_s is not None
    await over.wait()
    assert pause.left_s is None


async def test_nothing_follows_one_that_was_cancelled() -> None:
    ended: list[str] = []
    pause = Break()
    pause.begin(0.0, lambda: ended.append("cancelled"))
    pause.cancel()
    assert pause.left_s is None
    other = asyncio.Event()
    Break().begin(0.001, other.set)
    await other.wait()
    assert ended == []


async def test_it_says_how_long_it_lasts() -> None:
    pause = Break()
    pause.begin(60.0, lambda: None)
    assert pause.left_s is not None and 0 < pause.left_s <= 60
    pause.cancel()
