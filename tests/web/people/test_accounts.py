"""Sign up, log in, log out, and a new password by a code."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.utils import timezone

from arena.host import Host
from arena.models import OneTimeCode, Player
from arena.web.guests import person_of
from arena.web.people.codes import digest
from tests.kit.browsing import Person, far_away, flowing, match_of, new_address, says, text, two_people

PASSWORD = "seven-blue-otters"


async def a_guest(host: Host, **options: Any) -> Person:
    """Somebody who has made a move and finished that match."""
    person = Person(**options)
    match = match_of(await person.post("/play/", variant="connect-four-7x6", move="4"))
    await person.post(f"/m/{match}/abort/")
    await person.post(f"/m/{match}/resign/")
    return person


async def account(name: str = "Mira K", person: Person | None = None) -> Person:
    person = person or Person()
    answer = await person.post("/signup/", name=name, password=PASSWORD)
    assert answer.status_code == 302, text(answer)
    return person


async def logged_in(person: Person) -> bool:
    return 'action="/logout/"' in text(await person.get("/settings/"))


# -- signing up --------------------------------------------------------------------------------------------------------


async def test_a_guest_keeps_the_name_and_the_matches(host: Host) -> None:
    person = await a_guest(host)
    guest = await Player.objects.aget(kind="guest")
    page = flowing(await person.get("/signup/"))
    assert f"Keep the name <b>{guest.name}</b> and your 1 match." in page and f'value="{guest.name}"' in page
    assert (await person.post("/signup/", name=guest.name, password=PASSWORD)).status_code == 302
    kept = await Player.objects.select_related("user").aget(pk=guest.pk)
    assert kept.user is not None
    assert (kept.kind, kept.name, kept.user.username) == ("person", guest.name, guest.slug)
    assert await kept.seats.acount() == 1
    assert await logged_in(person)


async def test_a_guest_may_take_another_name(host: Host) -> None:
    person = await a_guest(host)
    guest = await Player.objects.aget(kind="guest")
    await account("Mira  K", person)
    kept = await Player.objects.aget(pk=guest.pk)
    assert (kept.name, kept.slug) == ("Mira K", "mira-k")


async def test_signing_up_in_a_match_goes_on_with_it(host: Host) -> None:
    live, first, second = await two_people(host)
    await account("Mira K", first)
    assert (await first.play(live, "4")).status_code == 302
    assert (await second.play(live, "4")).status_code == 302
    assert live.state.position.ply == 2


async def test_a_visitor_can_sign_up_before_playing(host: Host) -> None:
    person = await account("Мира")
    assert await Player.objects.filter(name="Мира", kind="person").aexists()
    assert await logged_in(person)


async def test_who_has_signed_up_is_welcomed_once_and_told_what_for(host: Host) -> None:
    person = await account("Mira K")
    page = text(await person.get("/"))
    assert "Welcome, Mira K. Your matches are kept under this name." in page
    assert all(f'<a href="{address}">' in page for address in ("/r/new/", "/bots/new/", "/puzzles/"))
    assert "Welcome" not in text(await person.get("/"))


@pytest.mark.parametrize("other", ["Mira K", "MIRA  k", "mira.-k", "ｍira k"])
async def test_a_taken_name_is_told_with_one_that_is_free(host: Host, other: str) -> None:
    await account("Mira K")
    status, page = await says(Person(), "/signup/", name=other, password=PASSWORD)
    assert status == 422 and await User.objects.acount() == 1
    free = re.search(r"That name is taken\. (.+?) is free\.", page)
    if free is None:
        assert "A name may contain only letters" in page
    else:
        await account(free[1])


async def test_the_name_of_a_bot_of_a_guest_and_of_staff_are_taken(host: Host) -> None:
    await Player.objects.acreate(kind="bot", name="gravity-9", slug="gravity-9")
    await Player.objects.acreate(kind="guest", name="Teal Heron", slug="teal-heron")
    await User.objects.acreate_user("Root")
    for name in ("Gravity-9", "teal heron", "root"):
        status, page = await says(Person(), "/signup/", name=name, password=PASSWORD)
        assert status == 422 and "That name is taken." in page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("<b>Mira</b>", "not < (U+003C)"),
        ("Mira\u202e", "not U+202E"),
        ("Mira 🦊", "U+1F98A"),
        ("x" * 300, "300 characters. Expected 2 to 24"),
        ("x", "Expected 2 to 24"),
        ("", "Name is missing."),
        ("Mira\x00", "Null characters are not allowed"),
    ],
)
async def test_a_name_that_is_none_is_refused_in_words(host: Host, name: str, words: str) -> None:
    answer = await Person().post("/signup/", name=name, password=PASSWORD)
    page = html.unescape(text(answer))
    assert answer.status_code == 422 and words in page and "<b>Mira" not in text(answer)
    assert not await User.objects.aexists() and not await Player.objects.aexists()


@pytest.mark.parametrize("password", ["", "short", "password", "mirakmirak"])
async def test_a_weak_password_is_refused(host: Host, password: str) -> None:
    status, _ = await says(Person(), "/signup/", name="mirakmirak", password=password)
    assert status == 422 and not await User.objects.aexists()


async def test_no_field_but_the_asked_ones_is_taken(host: Host) -> None:
    more = {"is_staff": "1", "is_superuser": "on", "kind": "bot", "keep": "1", "player": "1", "user": "1", "id": "1"}
    victim = await Player.objects.acreate(kind="guest", name="Teal Heron", slug="teal-heron")
    assert (await Person().post("/signup/", name="Mira", password=PASSWORD, **more)).status_code == 302
    user = await User.objects.aget()
    assert not user.is_staff and not user.is_superuser
    await victim.arefresh_from_db()
    assert victim.kind == "guest" and victim.user_id is None


# -- logging in and out ------------------------------------------------------------------------------------------------


async def test_logging_in_on_another_device_is_the_same_player(host: Host) -> None:
    await account("Mira K")
    other = Person()
    assert (await other.post("/login/", name="mira k", password=PASSWORD)).status_code == 302
    await other.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    assert await Player.objects.acount() == 1


async def test_who_logs_in_leaves_the_guest_behind(host: Host) -> None:
    await account("Mira K")
    person = await a_guest(host)
    page = text(await person.get("/login/"))
    assert "stays under that name" in page
    await person.post("/login/", name="Mira K", password=PASSWORD)
    guest = await Player.objects.aget(kind="guest")
    assert await guest.seats.acount() == 1 and guest.user_id is None
    assert "Mira K" in text(await person.get("/")) and guest.name not in text(await person.get("/settings/"))


async def test_who_is_playing_as_a_guest_finishes_first(host: Host) -> None:
    await account("Mira K")
    live, first, _ = await two_people(host)
    assert "Finish or resign that match" in text(await first.get("/login/")), "before a password is typed"
    status, page = await says(first, "/login/", name="Mira K", password=PASSWORD)
    assert status == 409 and "Finish or resign that match" in page
    assert (await first.play(live, "4")).status_code == 302


@pytest.mark.parametrize(
    ("name", "password"), [("Mira K", "wrong"), ("Nobody", PASSWORD), ("Mira K", ""), ("", ""), ("x" * 401, "x")]
)
async def test_a_wrong_name_or_password_says_no_more_than_that(host: Host, name: str, password: str) -> None:
    await account("Mira K")
    person = Person()
    status, page = await says(person, "/login/", name=name, password=password)
    assert status == 422 and not await logged_in(person)
    if name and password and len(name) < 400:
        assert "Name and password do not match." in page


async def test_the_session_key_is_another_after_logging_in(host: Host) -> None:
    await account("Mira K")
    person = await a_guest(host)
    before = person.client.cookies["sessionid"].value
    await person.post("/login/", name="Mira K", password=PASSWORD)
    after = person.client.cookies["sessionid"].value
    assert before != after
    person.client.cookies["sessionid"] = before
    assert not await logged_in(person)


async def test_logging_out_is_a_post_and_ends_the_session(host: Host) -> None:
    person = await account("Mira K")
    key = person.client.cookies["sessionid"].value
    assert (await person.get("/logout/")).status_code == 405
    assert await logged_in(person)
    assert (await person.post("/logout/")).status_code == 302
    person.client.cookies["sessionid"] = key
    assert not await logged_in(person) and "Mira K" not in text(await person.get("/"))


async def test_a_guest_who_presses_log_out_stays_the_guest(host: Host) -> None:
    person = await a_guest(host)
    guest = await Player.objects.aget()
    await person.post("/logout/")
    assert guest.name in text(await person.get("/"))


@pytest.mark.parametrize(
    ("wanted", "leads"),
    [
        ("/bots/?mine=1", "/bots/?mine=1"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\r\nX: y", "/"),
        ("", "/"),
    ],
)
async def test_next_leads_nowhere_else(host: Host, wanted: str, leads: str) -> None:
    await account("Mira K")
    answer = await Person().post("/login/", name="Mira K", password=PASSWORD, next=wanted)
    assert (answer.status_code, answer["Location"]) == (302, leads)


async def test_who_is_led_to_the_login_reads_why(host: Host) -> None:
    person = Person()
    led = await person.get("/bots/new/")
    assert led.status_code == 302
    assert "You need an account for this" in text(await person.get(led["Location"]))
    assert "You need an account for this" not in text(await person.get("/login/"))


async def test_the_forms_refuse_what_another_site_sends(host: Host) -> None:
    await account("Mira K")
    for path in (
        "/login/",
        "/signup/",
        "/logout/",
        "/login/code/",
        "/settings/",
        "/settings/one/",
        "/settings/password/",
    ):
        person = Person(enforce_csrf_checks=True)
        assert (await person.post(path, name="Mira K", password=PASSWORD, theme="dark")).status_code == 403, path


async def test_a_locked_account_is_nobody(host: Host) -> None:
    person = await account("Mira K")
    await User.objects.aupdate(is_active=False)
    assert not await logged_in(person)
    assert (await person.post("/play/", variant="connect-four-7x6", move="4")).status_code == 302
    assert await Player.objects.filter(kind="guest").acount() == 1
    assert (await person.post("/play/", variant="connect-four-7x6", move="4")).status_code == 302
    assert await Player.objects.filter(kind="guest").acount() == 1
    status, _ = await says(Person(), "/login/", name="Mira K", password=PASSWORD)
    assert status == 422


# -- throttling --------------------------------------------------------------------------------------------------------


async def test_ten_wrong_passwords_lock_the_name_from_that_address_only(host: Host) -> None:
    await account("Mira K")
    await account("Bob")
    for _ in range(10):
        status, _ = await says(Person(), "/login/", name="Mira K", password="wrong")
    assert status == 429
    answer = await Person().post("/login/", name="Mira K", password=PASSWORD)
    assert answer.status_code == 429 and answer["Retry-After"] == "900"
    assert "Try again in 15 minutes" in text(answer)
    assert (await Person().post("/login/", name="Bob", password=PASSWORD)).status_code == 302
    elsewhere = far_away()
    assert (await elsewhere.post("/login/", name="Mira K", password=PASSWORD)).status_code == 302


async def test_a_right_password_forgets_the_wrong_ones(host: Host) -> None:
    await account("Mira K")
    for _ in range(3):
        for _ in range(6):
            status, _ = await says(Person(), "/login/", name="Mira K", password="wrong")
            assert status == 422
        assert (await Person().post("/login/", name="Mira K", password=PASSWORD)).status_code == 302


async def test_the_admin_s_own_page_is_throttled_too(host: Host) -> None:
    await User.objects.acreate_superuser("root", password=PASSWORD)
    for _ in range(11):
        answer = await Person().post("/admin/login/", username="root", password="wrong")
    assert answer.status_code == 429 and "Too many wrong passwords" in text(answer)


@pytest.mark.parametrize(("page", "field"), [("/login/", "name"), ("/admin/login/", "username")])
async def test_of_a_name_that_is_far_too_long_the_database_gets_what_it_has_room_for(
    host: Host, page: str, field: str
) -> None:
    for _ in range(2):
        assert (await Person().post(page, **{field: "x" * 300, "password": "wrong"})).status_code in (200, 422)
    attempt = await AccessAttempt.objects.aget()
    assert (attempt.username, attempt.failures_since_start) == ("x" * 150, 2)


async def test_trying_many_names_from_one_address_is_stopped(host: Host) -> None:
    address, statuses = new_address(), [422]
    while statuses[-1] == 422 and len(statuses) < 500:  # on a slow machine the bucket fills up meanwhile
        person = far_away(address)
        statuses.append((await person.post("/login/", name=f"name {len(statuses)}", password="x")).status_code)
    assert statuses[-1] == 429 and len(statuses) > 40


# -- staff, who logs in over the admin ---------------------------------------------------------------------------------


async def test_who_logs_in_over_the_admin_is_the_same_on_the_pages(host: Host) -> None:
    await User.objects.acreate_superuser("root", password=PASSWORD)
    person = await a_guest(host)
    await person.post("/admin/login/", username="root", password=PASSWORD)
    assert await logged_in(person)
    await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    player = await Player.objects.aget(kind="person")
    assert (player.name, player.user_id) == ("root", (await User.objects.aget()).pk)


@pytest.mark.parametrize(("username", "name"), [("root", "root 2"), ("@@", "Player"), ("r" * 150, "r" * 20)])
async def test_the_player_of_staff_gets_a_name_that_is_free(host: Host, username: str, name: str) -> None:
    await Player.objects.acreate(kind="guest", name="root", slug="root")
    user = await User.objects.acreate_user(username)
    player = await sync_to_async(person_of)(user)
    assert (player.name, player.pk) == (name, (await sync_to_async(person_of)(user)).pk)


# -- a new password by a code ------------------------------------------------------------------------------------------


async def a_code(hours: int = 24) -> str:
    user = await User.objects.aget()
    expires = timezone.now() + timedelta(hours=hours)
    await OneTimeCode.objects.acreate(user=user, code_sha256=digest("K7QM-2WXR-9ABC"), expires=expires)
    return "k7qm2wxr9abc"


async def test_a_code_sets_a_new_password_once(host: Host) -> None:
    old = await account("Mira K")
    code = await a_code()
    person = Person()
    fields = {"name": "Mira K", "code": code, "password": "nine-green-herons"}
    assert (await person.post("/login/code/", **fields)).status_code == 302
    assert await logged_in(person) and not await logged_in(old)
    status, page = await says(Person(), "/login/code/", **fields)
    assert status == 422 and "the code has been used" in page
    assert (await Person().post("/login/", name="Mira K", password="nine-green-herons")).status_code == 302


async def test_a_code_opens_a_name_that_was_locked(host: Host) -> None:
    await account("Mira K")
    for _ in range(10):
        await says(Person(), "/login/", name="Mira K", password="wrong")
    await Person().post("/login/code/", name="Mira K", code=await a_code(), password="nine-green-herons")
    assert (await Person().post("/login/", name="Mira K", password="nine-green-herons")).status_code == 302


@pytest.mark.parametrize(
    ("hours", "name", "code", "password"),
    [
        (24, "Mira K", "AAAA-BBBB-CCCC", "nine-green-herons"),
        (24, "Bob", "K7QM-2WXR-9ABC", "nine-green-herons"),
        (-1, "Mira K", "K7QM-2WXR-9ABC", "nine-green-herons"),
        (24, "Mira K", "K7QM-2WXR-9ABC", "short"),
        (24, "Mira K", "", "nine-green-herons"),
    ],
)
async def test_a_code_that_is_wrong_or_old_changes_nothing(
    host: Host, hours: int, name: str, code: str, password: str
) -> None:
    await account("Mira K")
    await a_code(hours)
    status, _ = await says(Person(), "/login/code/", name=name, code=code, password=password)
    assert status == 422 and await OneTimeCode.objects.aexists()
    assert (await Person().post("/login/", name="Mira K", password=PASSWORD)).status_code == 302
