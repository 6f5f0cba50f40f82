"""Accounts in the admin: the code for a new password, tokens, and what ends with an account that is locked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from arena.bots.session import tokens
from arena.host import Host
from arena.models import AccessToken, Audit, OneTimeCode, Player
from arena.web import open_sockets
from arena.web.people.codes import digest
from arena.web.sockets.consumers import GONE
from tests.admin.test_bot_actions import Connection
from tests.kit.browsing import Person, flowing, two_people
from tests.kit.deadline import DEADLINE_S
from tests.kit.history import a_bot
from tests.web.people.test_accounts import account
from tests.web.sockets.test_consumers import opened, watching
from tests.web.test_who_may import known

LIST = "/admin/auth/user/"


def make(client: Client, *users: User) -> str:
    chosen = {"action": "make_code", "_selected_action": [user.pk for user in users]}
    return client.post(LIST, chosen, follow=True).content.decode()


def test_a_code_is_shown_once_and_only_its_digest_is_kept(superuser: Client) -> None:
    mira = User.objects.create_user("mira")
    page = make(superuser, mira)
    shown = re.search(r"<code>([A-Z0-9-]{14})</code>", page)
    assert shown is not None
    kept = OneTimeCode.objects.get()
    assert (kept.user, kept.code_sha256) == (mira, digest(shown[1]))
    assert shown[1] not in superuser.get(LIST).content.decode()
    audit = Audit.objects.get()
    assert (audit.actor, audit.subject) == ("root", "mira") and shown[1] not in str(audit.data)


def test_the_next_code_takes_the_place_of_the_last(superuser: Client) -> None:
    mira = User.objects.create_user("mira")
    assert make(superuser, mira) != make(superuser, mira)
    assert OneTimeCode.objects.count() == 1


def test_codes_are_made_one_at_a_time(superuser: Client) -> None:
    page = make(superuser, User.objects.create_user("mira"), User.objects.create_user("bob"))
    assert "Choose one account" in page and not OneTimeCode.objects.exists()


def test_staff_makes_no_code_for_staff(staff: Client) -> None:
    make(staff, User.objects.create_user("mira"))
    assert OneTimeCode.objects.count() == 1
    page = make(staff, User.objects.create_superuser("root"))
    assert "only a superuser" in page and OneTimeCode.objects.count() == 1


@pytest.mark.django_db
def test_who_may_only_look_makes_none() -> None:
    user = User.objects.create_user("helper", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_user"))
    client = Client()
    client.force_login(user)
    make(client, User.objects.create_user("mira"))
    assert not OneTimeCode.objects.exists()


def test_who_may_not_change_an_account_is_shown_no_button_for_its_password(staff: Client) -> None:
    mira = User.objects.create_user("mira", password="of mira")
    root = User.objects.create_superuser("root", password="of root")
    assert "Reset password" in staff.get(f"{LIST}{mira.pk}/change/").content.decode()
    page = staff.get(f"{LIST}{root.pk}/change/").content.decode()
    assert "Last login" in page and "Reset password" not in page and "pbkdf2" not in page and "md5" not in page


def test_the_page_of_a_token_tells_in_words_what_it_may_do(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    AccessToken.objects.update(scopes="play organise gone", used=None, ends="2999-01-31T12:00Z")
    token = AccessToken.objects.get()
    address = f"/admin/arena/accesstoken/{token.pk}/change/"
    page = flowing(superuser.get(address))
    account = f'<a href="/admin/auth/user/{token.user_id}/change/">user1</a>'
    for words in (
        "open rooms and challenge bots",
        "run own events",
        "gone",
        "valid until 2999-01-31",
        "never",
        account,
    ):
        assert words in page, words
    assert re.search(r"<details><summary> <h2[^>]*>All fields</h2>", page)
    AccessToken.objects.update(ends="2026-01-31T12:00Z")
    assert "expired 2026-01-31" in flowing(superuser.get(address))


LOCKED = {"username": "mira-k", "date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
NEW = {"password1": "nine-green-herons", "password2": "nine-green-herons", "usable_password": "true"}


@pytest.mark.parametrize(
    ("page", "fields"),
    [("{}/change/", LOCKED), ("{}/password/", NEW)],
)
async def test_an_account_that_is_locked_or_gets_a_new_password_is_logged_out_of_its_open_pages(
    host: Host, page: str, fields: dict[str, str]
) -> None:
    live, mira, other = await two_people(host)
    await account("Mira K", mira)
    root = await known("root", is_staff=True, is_superuser=True)
    user = await User.objects.aget(username="mira-k")
    async with watching(mira, live) as socket, watching(other, live) as there:
        assert "Your turn" in await socket.text() + await there.text()
        answer = await root.post(LIST + page.format(user.pk), _selected_action=str(user.pk), **fields)
        assert answer.status_code == 302, flowing(answer)
        async with asyncio.timeout(DEADLINE_S):  # heartbeats go on in one that is not closed
            assert await socket.code() == open_sockets.LOGGED_OUT
        await other.play(live, "4")
    async with opened(mira, f"/ws/m/{live.id}/?have=0&seat=0") as socket:
        assert await socket.code() == open_sockets.LOGGED_OUT


@pytest.mark.parametrize("page", ["user", "group"])
async def test_who_may_see_private_matches_no_more_is_shown_out_of_one(host: Host, page: str) -> None:
    live, _, _ = await two_people(host, private="on")
    seeing = await Permission.objects.aget(codename="see_private")
    group = await Group.objects.acreate(name="lookers")
    await group.permissions.aadd(seeing)
    helper, root = await known("helper", is_staff=True), await known("root", is_staff=True, is_superuser=True)
    user = await User.objects.aget(username="helper")
    await (user.groups.aadd(group) if page == "group" else user.user_permissions.aadd(seeing))
    form = (
        LOCKED | {"username": "helper", "is_active": "on", "is_staff": "on"} if page == "user" else {"name": "lookers"}
    )
    changed = f"/admin/auth/{page}/{(user if page == 'user' else group).pk}/change/"
    async with watching(helper, live) as socket:
        await socket.text()
        answer = await root.post(changed, **form)
        assert answer.status_code == 302, flowing(answer)
        async with asyncio.timeout(DEADLINE_S):
            assert await socket.code() == open_sockets.AGAIN
    async with watching(helper, live) as socket:
        assert await socket.code() == GONE


async def test_the_bots_of_a_locked_account_are_locked_out_and_come_back_with_it(host: Host) -> None:
    mira = Person()
    await account("Mira K", mira)
    user = await User.objects.aget(username="mira-k")
    playing, retired = await a_bot(owner=user), await a_bot("old-1", owner=user, enabled=False, why_disabled="old")
    here, root = Connection(), await known("root", is_staff=True, is_superuser=True)
    tokens.came(playing.pk, here)
    for fields, enabled in ((LOCKED, False), (LOCKED | {"is_active": "on"}, True)):
        answer = await root.post(f"{LIST}{user.pk}/change/", **fields)
        assert answer.status_code == 302, flowing(answer)
        await playing.arefresh_from_db()
        await retired.arefresh_from_db()
        assert (playing.enabled, retired.enabled, retired.why_disabled) == (enabled, False, "old")
    tokens.went(playing.pk, here)
    assert here.sent_away == ["This bot was disabled: the account of its owner is locked."]


def test_an_account_is_not_deleted_here_but_closed_on_the_page_of_its_player(superuser: Client, db: None) -> None:
    user = User.objects.create_user("mira")
    player = Player.objects.create(name="mira", slug="mira", kind="person", user=user)
    page = flowing(superuser.get(f"{LIST}{user.pk}/change/"))
    assert f'<a href="/admin/arena/player/{player.pk}/change/">mira</a>, whose page' in page and ">Delete<" not in page
    assert superuser.post(f"{LIST}{user.pk}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"}
    superuser.post(LIST, chosen)
    assert User.objects.filter(pk=user.pk).exists() and "delete_selected" not in flowing(superuser.get(LIST))
