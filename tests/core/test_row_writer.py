"""Rows that nobody waits for, while another program keeps the database locked."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from arena.core.row_writer import RowWriter
from arena.host import Host
from arena.models import Player, Room
from arena.rooms import room_rows
from arena.rooms.plan import Plan
from tests.kit.deadline import DEADLINE_S
from tests.kit.storage import locked
from tests.kit.until import until

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")


@pytest.fixture
async def impatient(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.05)
    await sync_to_async(lambda: connection.close())()  # the next one has this patience


async def finished(code: str) -> int:
    return (await Room.objects.aget(code=code)).finished


@pytest.mark.usefixtures("impatient")
async def test_the_end_of_a_series_is_stored_when_it_can_be(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    room = await host.lobby.open("OTTER-1", {"variant": "connect-four-7x6"})
    with locked():
        host.lobby.series_over(room)
        await until(lambda: "that a series is over cannot be stored, trying again" in caplog.text)
    await until(lambda: "resolved: that a series is over" in caplog.text)
    assert await finished("OTTER-1") == 1


@pytest.mark.usefixtures("impatient")
async def test_an_earlier_series_does_not_take_the_place_of_a_later_one(host: Host) -> None:
    room = await host.lobby.open("OTTER-1", {"variant": "connect-four-7x6"})
    for series in (2, 1):
        await room_rows.finish(Plan("connect-four-7x6", room=room.plan.room, series=series))
    assert await finished("OTTER-1") == 2


@pytest.mark.usefixtures("impatient")
async def test_the_end_waits_for_one_more_attempt_and_no_longer(caplog: pytest.LogCaptureFixture) -> None:
    async def store() -> None:
        await Player.objects.acreate(kind="guest", name="ada", slug="ada")

    writer = RowWriter("a player")
    async with asyncio.timeout(DEADLINE_S):
        with locked():
            writer.write(store)
            await until(lambda: "a player cannot be stored" in caplog.text)
            await writer.close()
    assert not await Player.objects.aexists()


async def test_a_bug_is_not_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    async def store() -> None:
        raise ValueError("no such seat")

    writer = RowWriter("a seat")
    writer.write(store)
    async with asyncio.timeout(DEADLINE_S):
        await writer.written()
    assert "a seat cannot be stored, trying again: no such seat" in caplog.text
