"""Another name for an account: by the rules of names, unique, once a day, with its own address."""

from __future__ import annotations

import html
from datetime import timedelta

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model

from arena.host import Host
from arena.models import Audit, Player
from arena.tournaments.spec import EntrySpec
from tests.kit.browsing import Person, says, text, two_people
from tests.kit.tournaments import a_begun, a_spec, builtins
from tests.web.people.test_accounts import PASSWORD, account, logged_in


async def a_day_passes() -> None:
    async for each in Audit.objects.all():
        each.at -= timedelta(days=1, seconds=1)
        await each.asave(update_fields=["at"])


async def test_an_account_takes_another_name_and_logs_in_by_it(host: Host) -> None:
    person = await account("Mira K")
    assert 'value="Mira K"' in text(await person.get("/settings/name/"))
    answer = await person.post("/settings/name/", name="  Mira   Z ")
    assert (answer.status_code, answer["Location"]) == (302, "/settings/")
    page = text(await person.get("/settings/"))
    assert "Your name is now Mira Z." in page and "logged in as <b>Mira Z</b>" in page
    player = await Player.objects.select_related("user").aget()
    assert player.user is not None
    assert (player.name, player.slug, player.user.username) == ("Mira Z", "mira-z", "mira-z")
    assert (await Person().get("/@/mira-z/")).status_code == 200
    gone = await Person().get("/@/mira-k/")
    assert gone.status_code == 404 and "It may have been changed." in text(gone)
    assert (await Person().post("/login/", name="Mira Z", password=PASSWORD)).status_code == 302
    assert (await Person().post("/login/", name="Mira K", password=PASSWORD)).status_code == 422
    assert await logged_in(person)
    row = await Audit.objects.aget(act="new name")
    assert (row.subject, row.data["before"]) == ("Mira Z", "Mira K")


async def test_only_once_a_day(host: Host) -> None:
    person = await account("Mira K")
    await person.post("/settings/name/", name="Mira L")
    status, words = await says(person, "/settings/name/", name="Mira M")
    assert status == 422 and "You can change it again in 24 h." in words
    await a_day_passes()
    assert (await person.post("/settings/name/", name="Mira M")).status_code == 302


async def test_a_name_of_somebody_else_is_taken_in_any_case(host: Host) -> None:
    await account("Jonas")
    await account("Jo Nas")
    await Player.objects.acreate(kind="guest", name="Teal Heron", slug="teal-heron")
    person = await account("Mira K")
    for other in ("Jonas", "JONAS", "jo nas", "teal heron"):
        status, words = await says(person, "/settings/name/", name=other)
        assert status == 422 and "That name is taken." in words and " is free." in words, other
    assert await Player.objects.filter(name="Mira K").aexists()


async def test_one_s_own_name_may_be_written_in_another_way(host: Host) -> None:
    person = await account("mira k")
    assert (await says(person, "/settings/name/", name="mira k"))[0] == 422
    assert (await person.post("/settings/name/", name="Mira K")).status_code == 302
    assert (await Player.objects.aget()).name == "Mira K"


async def test_a_name_that_is_none_is_refused_in_words(host: Host) -> None:
    person = await account("Mira K")
    for name in ("<b>Mira</b>", "\u202eariM", "Mira \U0001f600", "M" * 300, "M", "..", ""):
        answer = await person.post("/settings/name/", name=name)
        assert answer.status_code == 422 and "<b>Mira</b>" not in text(answer), name
        assert "Nothing was done yet." in html.unescape(text(answer)), name
        assert (await Player.objects.aget()).name == "Mira K"


async def test_staff_keep_their_username(host: Host) -> None:
    staff = await sync_to_async(get_user_model().objects.create_user)("Root", password=PASSWORD, is_staff=True)
    person = Person()
    await person.post("/login/", name="Root", password=PASSWORD)
    assert (await person.post("/settings/name/", name="Ada")).status_code == 302
    await staff.arefresh_from_db()
    assert staff.username == "Root" and (await Player.objects.aget()).name == "Ada"


async def test_a_guest_is_led_to_an_account(host: Host) -> None:
    answer = await Person().get("/settings/name/")
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/settings/name/")


async def test_a_guest_who_signs_up_by_another_name_is_told_which_one_matches_keep(host: Host) -> None:
    live, first, second = await two_people(host)
    await account(live.state.setup.seats[0].name, first)
    assert "Your matches are kept under this name." in text(await first.get("/"))
    guest = live.state.setup.seats[1]
    entry = EntrySpec(guest.name, "person", player=guest.player, agrees=True)
    await a_begun(a_spec(entries=(entry, *builtins(1))))
    await account("Mira K", second)
    page = text(await second.get(f"/m/{live.id}/"))
    assert "Welcome, Mira K. Your matches come with you, and those so far keep your old name." in page
    assert guest.name in page
    assert "Mira K" in (shown := text(await Person().get("/t/spring-cup/"))) and "Mira Z" not in shown
    await second.post("/settings/name/", name="Mira Z")
    assert "Mira Z" in (shown := text(await Person().get("/t/spring-cup/"))) and "Mira K" not in shown
