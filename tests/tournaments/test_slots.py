"""The processes that play what events give away; what is played by them is in `test_giving`."""

from __future__ import annotations

from pathlib import Path

import pytest
from asgiref.sync import sync_to_async

from arena.models import Match, Work
from arena.tournaments.slots import Slots
from tests.kit.until import asked_until, until
from tests.tournaments.working import Office

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


async def test_what_is_stored_is_told_and_what_is_not_is_for_the_next(tmp_path: Path) -> None:
    office = await sync_to_async(Office)(tmp_path)
    stored, news = list[None](), list[int]()
    slots = Slots(1, office.fence, lambda: stored.append(None))
    slots.on_news = news.append
    await sync_to_async(office.submit)()
    slots.call()
    await until(lambda: len(stored) == 3)
    assert news == [office.event.pk] * 3 and await Match.objects.acount() == 3
    await slots.close()
    await sync_to_async(office.encounters.close)()


async def test_who_closes_it_gives_back_what_is_being_played(tmp_path: Path) -> None:
    office = await sync_to_async(Office)(tmp_path, 60)
    slots = Slots(1, office.fence)
    await sync_to_async(office.submit)()
    slots.call()
    await asked_until(lambda: Work.objects.filter(state="out").acount(), bool)
    await slots.close()
    assert {row.state async for row in Work.objects.all()} == {"waiting"}
    await sync_to_async(office.encounters.close)()
