"""Settings: in a cookie for guests, with the account for who has one; and the password of an account."""

from __future__ import annotations

import html

import pytest

from arena.host import Host
from arena.models import Player
from tests.kit.browsing import Person, text
from tests.web.people.test_accounts import PASSWORD, account, logged_in

NEW = "nine-green-herons"
CHOSEN = {"theme": "dark", "view": "above", "sound": "on", "heights": "on", "talk": "on", "challenges": "on"}


async def test_a_guest_s_choices_lie_in_the_browser_only(host: Host) -> None:
    person = Person()
    assert (await person.post("/settings/", **CHOSEN)).status_code == 302
    page = text(await person.get("/settings/"))
    assert 'data-theme="dark"' in page and 'data-view="above"' in page and 'data-sound="on"' in page
    assert 'data-keys="off"' in page and 'data-heights="on"' in page
    assert not await Player.objects.aexists() and "sessionid" not in person.client.cookies


async def test_those_of_an_account_follow_to_other_devices(host: Host) -> None:
    person = await account("Mira K")
    await person.post("/settings/", **CHOSEN)
    other = Person()
    other.client.cookies["prefs"] = "theme:light.aloud:on"
    await other.post("/login/", name="Mira K", password=PASSWORD)
    page = text(await other.get("/"))
    assert 'data-theme="dark"' in page and 'data-aloud="off"' in page
    assert other.client.cookies["prefs"].value == "theme:dark.view:above.keys:off.sound:on"


async def test_what_is_as_usual_is_not_stored(host: Host) -> None:
    person = await account("Mira K")
    await person.post("/settings/", theme="system", view="auto", keys="on", heights="on", talk="on", challenges="on")
    assert (await Player.objects.aget()).prefs == {}


async def test_one_preference_can_be_set_from_any_page(host: Host) -> None:
    person = await account("Mira K")
    await person.post("/settings/", **CHOSEN)
    answer = await person.post("/settings/one/", theme="light", next="/bots/?page=2")
    assert (answer.status_code, answer["Location"]) == (302, "/bots/?page=2")
    assert (await person.post("/settings/one/", {"Accept": "application/json"}, sound="off")).status_code == 204
    assert (await Player.objects.aget()).prefs == {"theme": "light", "view": "above", "keys": "off"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"theme": "purple"}, "expected system or light or dark"),
        ({"sound": "<b>"}, "expected off or on"),
        ({"colour": "red"}, "expected one of theme"),
        ({}, "Received no preference"),
    ],
)
async def test_a_preference_that_is_none_is_refused(host: Host, fields: dict[str, str], words: str) -> None:
    answer = await Person().post("/settings/one/", **fields)
    assert answer.status_code == 422 and words in html.unescape(text(answer)) and "<b>" not in words


async def test_a_form_with_a_wrong_value_changes_nothing(host: Host) -> None:
    person = Person()
    answer = await person.post("/settings/", theme="purple", view="auto")
    assert answer.status_code == 422 and "prefs" not in person.client.cookies


# -- the password ------------------------------------------------------------------------------------------------------


async def test_the_password_is_changed_by_who_knows_it(host: Host) -> None:
    person, other = await account("Mira K"), Person()
    await other.post("/login/", name="Mira K", password=PASSWORD)
    assert (await person.post("/settings/password/", old=PASSWORD, password=NEW)).status_code == 302
    assert await logged_in(person) and not await logged_in(other)
    assert (await Person().post("/login/", name="Mira K", password=NEW)).status_code == 302


@pytest.mark.parametrize(("old", "new"), [("wrong", NEW), (PASSWORD, "short"), ("", ""), (PASSWORD, "")])
async def test_a_password_is_not_changed_by_a_wrong_or_to_a_weak_one(host: Host, old: str, new: str) -> None:
    person = await account("Mira K")
    assert (await person.post("/settings/password/", old=old, password=new)).status_code == 422
    assert (await Person().post("/login/", name="Mira K", password=PASSWORD)).status_code == 302


async def test_a_guest_has_no_password_to_change(host: Host) -> None:
    answer = await Person().get("/settings/password/")
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/settings/password/")
