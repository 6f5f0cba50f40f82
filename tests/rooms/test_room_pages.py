from __future__ import annotations

import asyncio

import pytest

from arena.rooms import room_pages
from arena.rooms.room_pages import RoomPages


async def test_somebody_is_there_while_a_page_is_open_and_a_little_longer() -> None:
    pages = RoomPages()
    assert not pages.is_here("A", 1)
    pages.opened("A", 1)
    pages.opened("A", 1)
    pages.closed("A", 1)
    pages.expect("A", 1, 0.0)
    assert pages.is_here("A", 1), "the other page is open"
    pages.closed("A", 1)
    assert pages.is_here("A", 1), "it may only be loading again"
    pages.expect("A", 1, 0.0)
    assert not pages.is_here("A", 1)


async def test_rooms_and_players_are_told_apart() -> None:
    pages = RoomPages()
    pages.opened("A", 1)
    assert [pages.is_here(code, player) for code, player in (("A", 1), ("A", 2), ("B", 1), ("A", None))] == [
        True,
        False,
        False,
        False,
    ]


async def test_a_page_that_asks_is_there_for_a_moment_and_shortens_no_longer_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages, gone = RoomPages(), asyncio.Event()
    pages.on_gone = lambda code: gone.set()
    monkeypatch.setattr(room_pages, "HERE_S", 0.0)
    pages.expect("A", 1, 60.0)
    pages.asked("A", 1)
    assert pages.is_here("A", 1)
    pages.expect("A", 1, 0.0)
    await gone.wait()
    assert not pages.is_here("A", 1)
