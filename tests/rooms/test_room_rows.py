from __future__ import annotations

from datetime import UTC, datetime

import pytest
from asgiref.sync import sync_to_async
from django.db.models import F

from arena.match.commands import Refusal
from arena.models import Lease, Match, Place, Player, Room
from arena.rooms import room_rows
from tests.kit.storage import held

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS = {"variant": "connect-four-7x6", "clock": "5s", "rounds": 2, "private": True}


async def kinds(code: str) -> list[str | None]:
    plan = await room_rows.find(code)
    assert plan is not None
    return [place.kind if place is not None else None for place in plan.places]


async def test_a_room_is_planned_as_its_rows_say() -> None:
    made = await room_rows.create("Otter-42", FIELDS, (Place(side=0, kind="anyone"), None))
    found = await room_rows.find("OTTER-42")
    assert found == made
    assert (made.code, made.clock, made.rounds, made.private, made.series) == ("Otter-42", "5s", 2, True, 1)
    assert await room_rows.find("OTTER-43") is None


async def test_a_code_is_taken_once() -> None:
    await room_rows.create("a", FIELDS)
    with pytest.raises(Refusal, match="A room A already exists"):
        await room_rows.create("A", FIELDS)


async def test_people_may_sit_where_they_like_once_they_have_played() -> None:
    ada = await Player.objects.acreate(kind="guest", name="Ada", slug="ada")
    me, club = Place(side=0, kind="me", player=ada), Place(side=1, kind="builtin", level="club")
    plan = await room_rows.create("a", FIELDS, (me, club))
    assert await kinds("A") == ["me", "builtin"]
    await Match.objects.acreate(id="m", room_id=plan.room, variant="connect-four-7x6", opened=datetime.now(UTC))
    assert await kinds("A") == [None, "builtin"]


async def test_a_side_is_kept_for_one_at_a_time() -> None:
    plan = await room_rows.create("a", FIELDS, (None, Place(side=1, kind="anyone")))
    plan = await room_rows.keep(plan, Place(side=1, kind="builtin", level="club"))
    assert plan.places[1] is not None and plan.places[1].level == "club"
    assert await kinds("A") == [None, "builtin"]


async def test_a_room_is_closed_and_found_again_and_its_series_are_over() -> None:
    plan = await room_rows.create("a", FIELDS)
    await room_rows.close(plan.room)
    await room_rows.finish(plan)
    room = await Room.objects.aget(code=plan.code.upper())
    assert room.closed is not None and room.finished == 1
    await room_rows.find("A")
    await room.arefresh_from_db()
    assert room.closed is None


async def test_who_has_lost_the_lease_neither_closes_a_room_nor_ends_its_series() -> None:
    plan = await room_rows.create("a", FIELDS)
    fence = await sync_to_async(held)()
    await Lease.objects.aupdate(epoch=F("epoch") + 1)
    await room_rows.close(plan.room, fence)
    await room_rows.finish(plan, fence)
    room = await Room.objects.aget(code=plan.code.upper())
    assert (room.closed, room.finished) == (None, 0)
