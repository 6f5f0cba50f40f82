"""The match of the large card, chosen by staff."""

from __future__ import annotations

from arena.host import Host
from arena.models import Audit
from arena.web.lobby import feed
from tests.kit.browsing import Person, text, two_people
from tests.web.match.test_decide import helper, root


async def test_staff_choose_the_match_of_the_home_page_until_it_is_over(host: Host) -> None:
    (first, ada, _), (second, ben, _) = await two_people(host), await two_people(host)
    for live, person in ((first, ada), (second, ben)):
        await person.play(live, "4")
    staff = await root()
    for live in (first, second, first):
        assert (await staff.post(f"/m/{live.id}/feature/"))["Location"] == f"/m/{live.id}/"
        assert (await feed.of(host).lobby())["featured"]["id"] == live.id
    page = text(await staff.get(f"/m/{first.id}/"))
    assert "The home page shows this match." in page and 'name="off"' in page
    assert 'name="off"' not in text(await staff.get(f"/m/{second.id}/"))
    await host.referee.resign(first, 0)
    assert host.hub.featured is None
    assert [row.act async for row in Audit.objects.order_by("at")] == ["featured"] * 3


async def test_the_choice_is_taken_back(host: Host) -> None:
    (live, person, _), staff = await two_people(host), await root()
    await person.play(live, "4")
    await staff.post(f"/m/{live.id}/feature/")
    await staff.post(f"/m/{live.id}/feature/", off="1")
    assert host.hub.featured is None
    assert await Audit.objects.filter(act="no longer featured", subject=live.id).aexists()


async def test_a_private_match_and_one_that_is_over_are_not_shown_to_everyone(host: Host) -> None:
    (live, person, _), staff = await two_people(host, private="on"), await root()
    await person.play(live, "4")
    assert (await staff.post(f"/m/{live.id}/feature/")).status_code == 422
    (over, person, _) = await two_people(host)
    await person.play(over, "4")
    await host.referee.resign(over, 1)
    assert (await staff.post(f"/m/{over.id}/feature/")).status_code == 422
    assert host.hub.featured is None and not await Audit.objects.aexists()


async def test_nobody_else_chooses(host: Host) -> None:
    live, person, _ = await two_people(host)
    await person.play(live, "4")
    for who in (Person(), person, await helper()):
        assert (await who.post(f"/m/{live.id}/feature/")).status_code == 403
        assert "/feature/" not in text(await who.get(f"/m/{live.id}/"))
    assert host.hub.featured is None
