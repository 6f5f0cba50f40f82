"""The page on which staff decide a match: who may, what it says, what is refused in words."""

from __future__ import annotations

import html
import re
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Audit, Ruling
from tests.kit.browsing import Person, text, two_people
from tests.web.people.test_accounts import account


async def helper(*permissions: str, **fields: Any) -> Person:
    user = await User.objects.acreate_user("helper", is_staff=True, **fields)
    await user.user_permissions.aset([await Permission.objects.aget(codename=name) for name in permissions])
    return await logged_in(user)


async def logged_in(user: User) -> Person:
    person = Person()
    await person.client.aforce_login(user)
    return person


async def root() -> Person:
    return await logged_in(await User.objects.acreate_superuser("root"))


async def stood(person: Person, live: LiveMatch) -> str:
    page = text(await person.get(f"/m/{live.id}/decide/"))
    found = re.search(r'name="stood" value="([^"]+)"', page)
    assert found, page
    return found[1]


async def test_staff_decide_a_running_match_and_the_reason_stands_on_its_page(host: Host) -> None:
    (live, first, _), staff = await two_people(host), await root()
    said = {"choice": "1", "reason": "<b>took back</b> a move", "stood": await stood(staff, live)}
    answer = await staff.post(f"/m/{live.id}/decide/", **said)
    assert answer.status_code == 302 and answer["Location"] == f"/m/{live.id}/"
    page = html.unescape(text(await first.get(f"/m/{live.id}/")))
    assert "Decided by referee root: “<b>took back</b> a move”" in page
    assert "<b>took" not in text(await first.get(f"/m/{live.id}/"))
    audit = await Audit.objects.aget()
    assert (audit.actor, audit.act, audit.subject) == ("root", "decide", live.id)
    assert await LogEntry.objects.acount() == 1


async def test_an_ended_match_is_overruled_and_a_second_click_is_not_a_second_ruling(host: Host) -> None:
    (live, first, _), staff = await two_people(host), await root()
    await host.referee.resign(live, 0)
    said = {"choice": "void", "reason": "the cable was pulled", "stood": await stood(staff, live)}
    assert (await staff.post(f"/m/{live.id}/decide/", **said)).status_code == 302
    again = await staff.post(f"/m/{live.id}/decide/", **said)
    assert again.status_code == 409 and "has changed since you looked at it" in text(again)
    assert await Ruling.objects.acount() == 1 and await Audit.objects.acount() == 1
    page = html.unescape(text(await first.get(f"/m/{live.id}/")))
    assert "Declared void by referee root: “the cable was pulled”." in page


async def test_without_a_reason_the_form_comes_back_and_says_so(host: Host) -> None:
    (live, _, _), staff = await two_people(host), await root()
    answer = await staff.post(f"/m/{live.id}/decide/", choice="0", reason=" ", stood=await stood(staff, live))
    assert answer.status_code == 422 and "A reason is missing" in text(answer) and not live.over
    assert not await Audit.objects.aexists()


async def test_who_may_not_is_told_so(host: Host) -> None:
    live, player, _ = await two_people(host)
    user = Person()
    await account(person=user)
    people = {"anonymous": Person(), "player": player, "user": user, "view": await helper("view_match")}
    for who, person in people.items():
        for answer in (
            await person.get(f"/m/{live.id}/decide/"),
            await person.post(f"/m/{live.id}/decide/", choice="0", reason="because", stood="running"),
        ):
            if who in ("user", "view"):
                assert answer.status_code == 403 and "Only staff decide matches" in text(answer), who
            else:
                assert answer.status_code == 302 and answer["Location"].startswith("/login/?next="), who
        assert not live.over and not await Audit.objects.aexists(), who
        assert 'id="decide"' not in text(await person.get(f"/m/{live.id}/")), who


async def test_staff_with_the_permission_find_the_menu_and_may(host: Host) -> None:
    (live, _, _), staff = await two_people(host), await helper("change_match")
    assert f'hx-get="/m/{live.id}/decide/"' in text(await staff.get(f"/m/{live.id}/"))
    said = {"choice": "draw", "reason": "a storm", "stood": await stood(staff, live)}
    assert (await staff.post(f"/m/{live.id}/decide/", **said)).status_code == 302
    assert live.state.termination == "adjudicated"


async def test_a_match_that_is_not_there_is_404(host: Host) -> None:
    assert (await (await root()).get("/m/nothing/decide/")).status_code == 404


async def test_staff_see_the_matches_of_private_rooms(host: Host) -> None:
    (live, _, _), staff = await two_people(host, private="on"), await root()
    assert (await Person().get(f"/m/{live.id}/")).status_code == 404
    assert (await staff.get(f"/m/{live.id}/")).status_code == 200
