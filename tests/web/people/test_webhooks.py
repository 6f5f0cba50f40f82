"""Webhooks are made, tested, switched on and deleted on the settings page; each secret is shown once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from arena.host import Host
from arena.models import Audit, Delivery, Webhook
from arena.web.people.webhooks import MOST_WEBHOOKS
from arena.work.webhooks import rows, signing
from tests.kit.browsing import Person, flowing, says, text
from tests.web.people.test_accounts import account

PATH, ACT = "/settings/webhooks/", "/settings/webhooks/do/"
FIELDS = {"url": "https://bots.example.org:8443/arena", "events": [rows.MATCH_OVER, rows.FINAL]}


async def made(person: Person) -> tuple[Webhook, str]:
    """With the secret as the page shows it."""
    found = re.search(r"whsec_[A-Za-z0-9+/=]{44}", text(await person.post(PATH, **FIELDS)))
    assert found
    return await Webhook.objects.alatest("pk"), found[0]


async def test_a_secret_is_shown_once_and_stands_in_no_row(host: Host) -> None:
    mira = await account("Mira K")
    webhook, secret = await made(mira)
    assert (webhook.receiver, webhook.events) == ("bots.example.org:8443", "match.over tournament.final")
    assert signing.shown(signing.secret_of(webhook.nonce)) == secret
    assert secret not in str([vars(row) async for row in Webhook.objects.all()])
    page = flowing(await mira.get(PATH))
    assert secret not in page and "https://bots.example.org:8443/arena" in page
    assert "The table of such an event is final" in page
    assert "/settings/webhooks/" in text(await mira.get("/settings/"))


async def test_what_cannot_be_made_is_said(host: Host) -> None:
    mira = await account("Mira K")
    for fields, words in (
        ({**FIELDS, "url": ""}, "Address is missing."),
        ({**FIELDS, "events": []}, "Choose at least one event to be sent."),
        ({**FIELDS, "events": "test"}, "test is not one of the available choices."),
        ({**FIELDS, "url": "http://example.org/"}, "expected an address that begins with https://"),
        ({**FIELDS, "url": "https://example.org/" + "x" * 600}, "Received 620 characters, expected at most 500"),
        ({**FIELDS, "url": "https://127.0.0.1/"}, "Received 127.0.0.1, expected a public address"),
        ({**FIELDS, "url": "https://[::ffff:10.0.0.1]/"}, "expected a public address"),
        ({**FIELDS, "url": "https://example.org/\u0663"}, "ASCII"),
    ):
        status, page = await says(mira, PATH, **fields)
        assert status == 422 and words in page, words
    assert not await Webhook.objects.aexists()


async def test_an_account_has_so_many_and_no_more(host: Host) -> None:
    mira = await account("Mira K")
    webhook, _ = await made(mira)
    for _ in range(MOST_WEBHOOKS - 1):
        webhook.pk = None
        await webhook.asave(force_insert=True)
    status, page = await says(mira, PATH, **FIELDS)
    assert status == 422 and "Delete one first." in page


async def test_a_test_is_sent_and_what_came_of_it_is_shown(host: Host) -> None:
    mira = await account("Mira K")
    webhook, _ = await made(mira)
    await mira.post(ACT, webhook=str(webhook.pk), act="test")
    assert "A test is on its way." in flowing(await mira.get(PATH))
    await mira.post(ACT, webhook=str(webhook.pk), act="test")
    assert "A test is on its way already." in flowing(await mira.get(PATH))
    assert await Delivery.objects.filter(kind="test").acount() == 1
    await Delivery.objects.aupdate(tries=3, status=500, said="Answered 500, expected 200 to 299.")
    await Webhook.objects.aupdate(failing=timezone.now() - timedelta(hours=1))
    page = flowing(await mira.get(PATH))
    assert "after 3 attempts" in page and "Answered 500, expected 200 to 299." in page
    assert "It has accepted nothing since" in page


async def test_one_that_was_switched_off_says_why_and_is_switched_on_again(host: Host) -> None:
    mira = await account("Mira K")
    webhook, _ = await made(mira)
    await Webhook.objects.aupdate(off=timezone.now(), why="It has accepted nothing for a day. <b>")
    page = flowing(await mira.get(PATH))
    assert (
        "Switched off" in page and "It has accepted nothing for a day. &lt;b&gt;" in page and "Send a test" not in page
    )
    await mira.post(ACT, webhook=str(webhook.pk), act="test")
    assert not await Delivery.objects.aexists()
    await mira.post(ACT, webhook=str(webhook.pk), act="on")
    await webhook.arefresh_from_db()
    assert (webhook.off, webhook.why) == (None, "")


@pytest.mark.parametrize("act", ["test", "on", "delete"])
async def test_nobody_else_does_anything_with_it(act: str, host: Host) -> None:
    mira, bob = await account("Mira K"), await account("Bob")
    webhook, _ = await made(mira)
    await Webhook.objects.aupdate(off=timezone.now())
    for who, number in ((bob, str(webhook.pk)), (Person(), str(webhook.pk)), (mira, "x"), (mira, "9" * 30)):
        assert (await who.post(ACT, webhook=number, act=act)).status_code == 302
    assert (await mira.post(ACT, webhook=str(webhook.pk), act="explode")).status_code == 302
    assert (await Webhook.objects.aget()).off is not None and not await Delivery.objects.aexists()


async def test_one_that_is_deleted_is_gone_with_its_messages(host: Host) -> None:
    mira = await account("Mira K")
    webhook, _ = await made(mira)
    await mira.post(ACT, webhook=str(webhook.pk), act="test")
    await mira.post(ACT, webhook=str(webhook.pk), act="delete")
    assert not await Webhook.objects.aexists() and not await Delivery.objects.aexists()
    acts = [each async for each in Audit.objects.order_by("pk").values_list("act", "subject")]
    assert acts[-2:] == [("webhook made", "bots.example.org:8443"), ("webhook deleted", "bots.example.org:8443")]


async def test_what_staff_switched_off_its_owner_neither_switches_on_nor_makes_anew(host: Host) -> None:
    mira = await account("Mira K")
    webhook, _ = await made(mira)
    await sync_to_async(rows.switch_off_by_staff)(webhook, "It is flooded.")
    page = flowing(await mira.get(PATH))
    assert "Staff switched it off" in page and "It is flooded." in page and 'value="delete"' not in page
    for name in ("on", "delete", "test"):
        await mira.post(ACT, webhook=str(webhook.pk), act=name)
    kept = await Webhook.objects.aget()
    assert kept.by_staff and not await Delivery.objects.filter(webhook=kept).aexists()
    again = await mira.post(PATH, **FIELDS)
    assert again.status_code == 422 and "Staff have switched off messages to" in flowing(again)
