"""Two who sign up in the same instant: for one name, or as one guest in two browsers."""

from __future__ import annotations

import asyncio

from django.contrib.auth.models import User

from arena.host import Host
from arena.models import Player
from tests.kit.browsing import Person, text
from tests.web.people.test_accounts import PASSWORD, a_guest, account


async def test_two_who_want_one_name_at_once_get_one_account(host: Host) -> None:
    people = [Person() for _ in range(4)]
    answers = await asyncio.gather(*[person.post("/signup/", name="Mira", password=PASSWORD) for person in people])
    assert sorted(answer.status_code for answer in answers) == [302, 422, 422, 422]
    assert await User.objects.acount() == await Player.objects.acount() == 1


async def test_of_two_browsers_of_a_guest_that_sign_up_at_once_one_keeps_the_matches_and_only_it_says_so(
    host: Host,
) -> None:
    first, second = await a_guest(host), Person()
    guest = await Player.objects.aget(kind="guest")
    second.client.cookies.load(first.cookies)
    await asyncio.gather(account("Mira", first), account("Nils", second))
    keeps = {"Mira": first, "Nils": second}
    kept = await Player.objects.aget(pk=guest.pk)
    for name, person in keeps.items():
        assert ("those so far keep your old name" in text(await person.get("/"))) == (kept.name == name)
    assert await Player.objects.filter(name__in=keeps, kind="person").acount() == 2
