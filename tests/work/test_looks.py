"""Rows are looked at again after somebody has written, and otherwise not."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import pytest
from asgiref.sync import sync_to_async

from arena.models import Drain
from arena.work import looks as looks_module
from arena.work.looks import RowLooks
from tests.kit.deadline import DEADLINE_S

# For what has come already, as a rule.
SETTLED_S = 3.0

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks_module, "EVERY_S", 0.01)


async def look(looks: RowLooks) -> None:
    async with asyncio.timeout(DEADLINE_S):
        await looks.next()


async def test_whoever_writes_brings_about_a_look_and_nothing_else_does() -> None:
    first, second = RowLooks(0.0), RowLooks(0.0)
    for each in (first, second):
        await look(each)  # the first one
        await each.next(SETTLED_S)  # that of the first number, which may have come with it
    waiting = [asyncio.ensure_future(each.next()) for each in (first, second)]
    _, still = await asyncio.wait(waiting, timeout=0.2)
    assert len(still) == 2, "nobody has written"
    await sync_to_async(Drain.objects.create)(at=datetime.now(UTC), actor="ada")
    async with asyncio.timeout(DEADLINE_S):
        await asyncio.gather(*waiting)
    await first.close()
    await second.close()


async def test_a_call_needs_no_writing() -> None:
    looks = RowLooks(60.0)
    looks.call()
    await look(looks)
    await looks.close()


async def test_between_two_looks_there_is_some_time_however_much_is_written() -> None:
    looks = RowLooks(0.3)
    looks.call()
    began = time.monotonic()
    await looks.next()
    looks.soon()
    looks.soon()
    await look(looks)
    assert time.monotonic() - began >= 0.29
    await looks.close()
