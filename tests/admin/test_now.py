"""The box on the first page of the admin: numbers that are true."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from arena.admin import now
from arena.host import Host
from arena.models import Place, Room
from tests.web.browsing import Person, flowing, two_people


async def test_the_box_counts_what_is_there(host: Host) -> None:
    staff = Person()
    await staff.client.aforce_login(await User.objects.acreate_superuser("root"))
    live, _, _ = await two_people(host)
    await two_people(host)
    await Person().post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    page = flowing(await staff.get("/admin/"))
    assert "live matches <strong>2</strong>" in page and "rooms waiting <strong>1</strong>" in page
    assert "bots connected <strong>0</strong>" in page
    assert f"seat ports in use <strong>0</strong> of {len(settings.ARENA_SEAT_PORTS)}" in page
    assert "errors in the last hour <strong>" in page
    await host.referee.resign(live, 0)
    assert "live matches <strong>1</strong>" in flowing(await staff.get("/admin/"))


@pytest.mark.django_db
def test_ports_that_were_promised_are_in_use() -> None:
    first, second = list(settings.ARENA_SEAT_PORTS)[:2]
    room = Room.objects.create(code="R", shown_code="r", variant="connect-four-7x6")
    Place.objects.create(room=room, side=0, kind="socket", port=first, expires=timezone.now() + timedelta(minutes=5))
    Place.objects.create(room=room, side=1, kind="socket", port=second, expires=timezone.now() - timedelta(minutes=5))
    assert now.ports_in_use() == 1


def test_a_process_without_matches_says_so(superuser: Client) -> None:
    assert "This process serves no matches." in superuser.get("/admin/").content.decode()
