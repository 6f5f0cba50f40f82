"""A token speaks for its account, for what it was made for, until it ends; nothing else does."""

from __future__ import annotations

from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.utils import timezone

from arena.host import Host
from arena.models import AccessToken, Room
from arena.web.bearer import make
from tests.kit.browsing import Person
from tests.web.api.writing import ROOM, a_token, sent
from tests.web.people.test_accounts import account


async def test_a_token_does_what_its_account_may_and_says_when_it_was_used(host: Host) -> None:
    token = await a_token("play")
    status, said = await sent("/api/v1/rooms/", ROOM, token)
    assert status == 201, said
    room = await Room.objects.select_related("owner").aget()
    assert room.owner == await User.objects.aget(username="mira-k")
    row = await AccessToken.objects.aget()
    assert row.used is not None and token not in str(vars(row))


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "token_missing"),
        ("Basic bWlyYTptaXJh", "token_malformed"),
        ("Bearer", "token_malformed"),
        ("Bearer arn_" + "a" * 26, "token_malformed"),
        ("Bearer arp_" + "a" * 32 + "\u00e9", "token_malformed"),
        ("Bearer arp_" + "a" * 32, "token_unknown"),
    ],
)
async def test_what_is_no_token_is_told_so(host: Host, header: str, code: str) -> None:
    answer, said = await sent("/api/v1/rooms/", ROOM, header=header)
    assert (answer, said["error"]["code"]) == (401, code)
    assert "Nothing was done." in said["error"]["sentence"] and "/settings/tokens/" in said["error"]["hint"]
    assert not await Room.objects.aexists()


async def test_a_token_ends_and_is_gone_with_its_account(host: Host) -> None:
    token = await a_token("play")
    user = await User.objects.aget(username="mira-k")
    ended = timezone.now() - timedelta(seconds=1)
    old = await sync_to_async(make)(user, "old", ["play"], ended)
    assert (await sent("/api/v1/rooms/", ROOM, old))[1]["error"]["code"] == "token_ended"
    await User.objects.aupdate(is_active=False)
    assert (await sent("/api/v1/rooms/", ROOM, token))[1]["error"]["code"] == "account_closed"
    await User.objects.all().adelete()
    assert (await sent("/api/v1/rooms/", ROOM, token))[1]["error"]["code"] == "token_unknown"
    assert not await Room.objects.aexists()


async def test_a_token_for_something_else_is_refused(host: Host) -> None:
    status, said = await sent("/api/v1/rooms/", ROOM, await a_token("events organise"))
    assert (status, said["error"]["code"]) == (403, "wrong_scope")
    assert "events organise" in said["error"]["sentence"] and "play" in said["error"]["sentence"]


async def test_a_cookie_authorises_nothing_and_a_token_is_whose_it_is(host: Host) -> None:
    bob = await account("Bob")
    assert (await sent("/api/v1/rooms/", ROOM, who=bob))[0] == 401
    assert (await sent("/api/v1/rooms/", ROOM, await a_token("play"), who=bob))[0] == 201
    assert (await Room.objects.select_related("owner").aget()).owner == await User.objects.aget(username="mira-k")
    assert (await Person().get("/settings/tokens/")).status_code == 302
