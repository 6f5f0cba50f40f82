"""Tokens are made and revoked on the settings page; each is shown once and is nobody else's."""

from __future__ import annotations

import re

from arena.host import Host
from arena.models import AccessToken, Audit
from arena.web.people.access_tokens import MOST_TOKENS
from tests.kit.browsing import Person, flowing, says, text
from tests.web.api.writing import ROOM, sent
from tests.web.people.test_accounts import account

PATH = "/settings/tokens/"


async def made(person: Person, name: str = "my program") -> str:
    page = text(await person.post(PATH, name=name, scopes=["play", "events"], days="30"))
    found = re.search(r"arp_[a-z2-7]{32}", page)
    assert found
    return found[0]


async def test_a_token_is_shown_once_and_works_until_it_is_revoked(host: Host) -> None:
    mira = await account("Mira K")
    token = await made(mira)
    page = flowing(await mira.get(PATH))
    assert token not in page and "never used" in page and "play events" in page
    assert (await sent("/api/v1/rooms/", ROOM, token))[0] == 201
    assert "last used" in text(await mira.get(PATH))
    row = await AccessToken.objects.aget()
    await (await account("Bob")).post(f"{PATH}revoke/", token=str(row.pk))
    assert await AccessToken.objects.acount() == 1
    assert (await mira.post(f"{PATH}revoke/", token=str(row.pk))).status_code == 302
    assert (await sent("/api/v1/rooms/", ROOM, token))[0] == 401
    assert [each async for each in Audit.objects.order_by("pk").values_list("act", flat=True)][-2:] == [
        "token made",
        "token revoked",
    ]


async def test_what_cannot_be_made_is_said(host: Host) -> None:
    mira = await account("Mira K")
    for fields, words in (
        ({"name": "x", "days": "30"}, "Choose at least one thing that it may do."),
        ({"scopes": "play", "days": "30"}, "Name is missing."),
        ({"name": "\u202e", "scopes": "play", "days": "30"}, "Expected visible characters."),
        ({"name": "x", "scopes": "root", "days": "30"}, "root is not one of the available choices."),
        ({"name": "x", "scopes": "play", "days": "9999"}, "9999 is not one of the available choices."),
    ):
        status, page = await says(mira, PATH, **fields)
        assert status == 422 and words in page, words
    for text_ in ("", "x", "9" * 30, "-1", "\u0663"):
        assert (await mira.post(f"{PATH}revoke/", token=text_)).status_code == 302
    assert not await AccessToken.objects.aexists()


async def test_an_account_has_so_many_and_no_more(host: Host) -> None:
    mira = await account("Mira K")
    await made(mira)
    row = await AccessToken.objects.aget()
    for n in range(MOST_TOKENS - 1):
        row.pk, row.sha256 = None, f"{n:064}"
        await row.asave(force_insert=True)
    status, page = await says(mira, PATH, name="x", scopes="play", days="30")
    assert status == 422 and "Revoke one first." in page
