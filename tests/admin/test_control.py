"""The first page of the administration: numbers that are true, and to each what they may look at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.admin.control import Count
from arena.figures import present
from arena.host import Host
from arena.models import Audit, Match, Minute, Room
from arena.tournaments import actions
from tests.kit.browsing import Person, flowing, two_people
from tests.kit.deadline import DEADLINE_S
from tests.kit.tournaments import a_begun, a_spec
from tests.kit.until import until

MOST_QUERIES = 15


def _minute(**values: object) -> None:
    counts = dict.fromkeys(("matches", "rooms", "bots", "viewers", "moves", "commits", "errors"), 0)
    at = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=1)
    Minute.objects.create(**{**counts, "at": at, **values})


async def test_it_counts_what_is_there_as_the_host_publishes_it(host: Host) -> None:
    staff = Person()
    await staff.client.aforce_login(await User.objects.acreate_superuser("root"))
    live, _, _ = await two_people(host)
    await host.referee.pause(live, "rain", "root")
    await Person().post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    async with asyncio.timeout(DEADLINE_S):
        while (now := present()) is None or (now.paused, now.rooms) != (1, 1):
            await asyncio.sleep(0.05)
    page = flowing(await staff.get("/admin/"))
    assert (
        '<b id="now-matches">1</b> <small>running</small>' in page
        and "0 playing, 1 paused" in page
        and '<rect class="" x="0" width="1000" height="4"/>' in page
        and '<b id="now-rooms">1</b> <small>waiting' in page
    )
    assert f'/admin/arena/match/{live.id}/change/">{live.id}</a>' in page and '<td class="paused">paused</td>' in page
    # Both players with the discs that they play.
    assert page.count('href="#d0"/></svg>') == page.count('href="#d1"/></svg>') == 1


def test_a_bar_shows_its_parts_in_thousands_and_none_that_is_not_there() -> None:
    matches = Count("Matches", 6, "running", "", "", "", (("a", 3), ("w", 0), ("", 3)))
    assert matches.bar == [("a", 0, 500), ("", 500, 500)]
    assert Count("Rooms", 0, "waiting", "", "", "").bar == [] == Count("Bots", 0, "", "", "", "", (("a", 0),)).bar


def test_a_process_without_matches_says_so(superuser: Client) -> None:
    assert "This process serves no matches." in superuser.get("/admin/").content.decode()


async def test_it_leads_to_the_first_event_and_calls_one_that_is_paused_so(host: Host) -> None:
    staff = Person()
    await staff.client.aforce_login(await User.objects.acreate_superuser("root"))
    await until(lambda: present() is not None)
    first_event = '<a href="/t/new/">create the event</a>'
    assert first_event in flowing(await staff.get("/admin/"))
    cup = await a_begun(a_spec(3, pace_ms=60_000))
    for is_paused in (False, True):
        if is_paused:
            await sync_to_async(actions.pause)(cup)
        page = flowing(await staff.get("/admin/"))
        assert ("Spring cup" in page, "Spring cup (paused)" in page) == (True, is_paused)
        assert first_event not in page


def test_errors_of_the_last_hour_lead_to_their_match_and_their_minute(
    superuser: Client, fill: Callable[[int], None]
) -> None:
    fill(1)
    line = {"at": "2026-01-31T12:00:01+00:00", "logger": "arena.storage", "message": "disk <full>", "match": "match-1"}
    _minute(errors=1, lines=[line], moves=120, commit_median_us=1900, commit_p99_us=6300)
    page = flowing(superuser.get("/admin/"))
    assert "disk &lt;full&gt;" in page and "/admin/arena/match/match-1/change/" in page
    assert "1.9 ms · 6.3 ms" in page and "120 · peak 120" in page
    minute = Minute.objects.order_by("-at")[0]
    shown = superuser.get(f"/admin/arena/minute/{minute.pk.isoformat().replace('+', '%2B')}/change/")
    assert "arena.storage: disk &lt;full&gt;" in shown.content.decode()


@pytest.mark.parametrize(
    ("right", "shown"), [("", False), ("view_match", False), ("see_private", False), ("view_match see_private", True)]
)
def test_a_private_match_is_shown_to_who_may_see_it(right: str, shown: bool, fill: Callable[[int], None]) -> None:
    fill(1)
    Room.objects.update(private=True)
    user = User.objects.create_user("looks", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=right.split()))
    client = Client()
    client.force_login(user)
    page = client.get("/admin/").content.decode()
    assert ("match-1" in page, "Running matches" in page) == (shown, "view_match" in right)


def test_what_staff_did_is_for_who_may_read_the_audit(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    Audit.objects.create(actor="bo", act="re-run", subject="cup", data={"reason": "<it> rained"})
    assert "&lt;it&gt; rained" in staff.get("/admin/").content.decode()
    User.objects.get(username="staff").user_permissions.clear()
    page = staff.get("/admin/").content.decode()
    assert "Recent actions" not in page and "Errors" not in page


def test_it_asks_few_questions_however_much_there_is(superuser: Client, fill: Callable[[int], None]) -> None:
    asked = []
    for n in range(1, 6):
        fill(n)
        with CaptureQueriesContext(connection) as queries:
            superuser.get("/admin/")
        asked.append(len(queries))
    assert Match.objects.count() == 5
    assert asked[-1] <= asked[1] <= MOST_QUERIES
