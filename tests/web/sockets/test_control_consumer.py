"""The websocket of the administration: staff alone are told, and only that something is new."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from arena import figures
from arena.host import Host
from arena.models import Audit, Machine, Work
from arena.web.sockets import control_consumer
from tests.kit.browsing import Person, two_people
from tests.web.sockets.test_consumers import opened


async def _staff(name: str = "root") -> Person:
    person = Person()
    await person.client.aforce_login(await User.objects.acreate_superuser(name))
    return person


async def test_staff_hear_the_numbers_and_that_something_is_new(host: Host) -> None:
    staff = await _staff()
    async with opened(staff, "/ws/control/") as socket:
        before = await socket.until('id="signal"')
        assert '<b id="now-rooms" hx-swap-oob="true">0</b>' in before and "now-matches" not in before
        await two_people(host)
        assert await socket.until('id="signal"') != before
    assert all(each.__name__ != "wake" for each in figures.on_publish), "nobody is told any more"


async def test_a_page_of_one_match_hears_of_that_match_and_of_acts_of_staff(host: Host) -> None:
    live, first, _ = await two_people(host)
    staff = await _staff()
    async with opened(staff, f"/ws/control/?match={live.id}") as socket:
        before = await socket.until('id="signal"')
        assert "now-rooms" not in before
        await first.play(live, "4")
        after = await socket.until('id="signal"')
        assert after != before
        await Audit.objects.acreate(actor="bo", act="pause", subject=live.id)
        assert await socket.until('id="signal"') != after


async def test_a_page_of_workers_hears_of_each_claim_and_of_a_drained_worker(host: Host) -> None:
    said = {"slots": 1, "speed": 1, "sandbox": 0, "seen": timezone.now()}
    await Machine.objects.acreate(name="blade", **said)
    await Work.objects.acreate(kind="play", key="pairing:1:1")
    staff = await _staff()
    async with opened(staff, "/ws/control/?machines=all") as socket:
        before = await socket.until('id="signal"')
        await Work.objects.aupdate(token=1)
        claimed = await socket.until('id="signal"')
        await Machine.objects.aupdate(draining=True)
        drained = await socket.until('id="signal"')
    assert len({before, claimed, drained}) == 3 and "now-rooms" not in before


@pytest.mark.parametrize("who", ["nobody", "player"])
async def test_it_is_closed_to_who_is_no_staff(host: Host, who: str) -> None:
    person = Person()
    if who == "player":
        await person.client.aforce_login(await User.objects.acreate_user("ada"))
    async with opened(person, "/ws/control/") as socket:
        assert await socket.code() == 4403


async def test_it_ends_when_the_right_is_taken_away(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_consumer, "AGAIN_S", 0.0)
    staff = await _staff()
    async with opened(staff, "/ws/control/") as socket:
        await socket.until('id="signal"')
        await User.objects.aupdate(is_staff=False, is_superuser=False)
        assert await socket.code() == 4403
