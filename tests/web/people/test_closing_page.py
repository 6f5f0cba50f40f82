"""The page that closes an account: it says what happens before it does it, and asks for a proof."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import AsyncClient

from arena.host import Host
from tests.kit.browsing import Person, flowing, text
from tests.web.people.test_accounts import PASSWORD, account

CLOSE = "/settings/close/"


async def test_it_is_found_in_the_settings_and_says_what_goes_and_what_stays(host: Host) -> None:
    mira = await account("Mira K")
    assert f'href="{CLOSE}"' in text(await mira.get("/settings/"))
    assert "You can close your account" in text(await mira.get("/about/"))
    answer = await mira.get(CLOSE)
    page = flowing(answer)
    assert "It happens at once and cannot be undone." in page and "webhooks, chat messages" in page
    assert "Nobody can take the name Mira K after you" in page and "You resign" not in page
    assert answer["Cache-Control"] == "private, no-store", "nobody finds it by going back"


async def test_it_asks_for_the_password(host: Host) -> None:
    mira = await account("Mira K")
    for password, why in (("", "Password is missing."), ("six-blue-otters", "This is not your password.")):
        answer = await mira.post(CLOSE, password=password)
        assert answer.status_code == 422 and why in text(answer)
    assert await User.objects.filter(username="mira-k").aexists()
    home = await mira.client.post(CLOSE, {"password": PASSWORD}, follow=True)
    assert "Your account is closed." in home.content.decode()


async def test_an_account_without_a_password_proves_it_with_its_name(host: Host) -> None:
    mira = await account("Mira K")
    user = await User.objects.aget(username="mira-k")
    user.set_unusable_password()
    await user.asave()
    await sync_to_async(mira.client.force_login)(user, "django.contrib.auth.backends.ModelBackend")
    answer = await mira.post(CLOSE, name="Mira")
    assert answer.status_code == 422 and "This is not your name." in text(answer)
    assert (await mira.post(CLOSE, name="mira k")).status_code == 302
    assert not await User.objects.filter(username="mira-k").aexists()


async def test_the_only_administrator_stays(host: Host) -> None:
    mira = await account("Mira K")
    await User.objects.filter(username="mira-k").aupdate(is_superuser=True, is_staff=True)
    page = flowing(await mira.get(CLOSE))
    assert "Mira K is the only account that can run this arena." in page and 'type="password"' not in page
    answer = await mira.post(CLOSE, password=PASSWORD)
    assert answer.status_code == 422 and await User.objects.filter(username="mira-k").aexists()
    await User.objects.acreate(username="locked", is_superuser=True, is_active=False)
    assert (await mira.post(CLOSE, password=PASSWORD)).status_code == 422, "one who is locked runs nothing"
    await User.objects.acreate(username="root", is_superuser=True)
    assert (await mira.post(CLOSE, password=PASSWORD)).status_code == 302


async def test_a_press_after_it_and_a_visitor_without_a_player_are_led_away(host: Host) -> None:
    assert (await Person().get(CLOSE))["Location"] == "/settings/"
    nobody = Person()
    answer = await nobody.client.post(CLOSE, {"password": "x"}, follow=True)
    assert "The arena has forgotten you." in answer.content.decode()


async def test_another_site_closes_nothing(host: Host) -> None:
    mira = await account("Mira K")
    strict = Person()
    strict.client = AsyncClient(enforce_csrf_checks=True)
    strict.client.cookies = mira.client.cookies
    assert (await strict.post(CLOSE, password=PASSWORD)).status_code == 403
    assert await User.objects.filter(username="mira-k").aexists()
