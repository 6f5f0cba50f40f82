"""Messages of webhooks are for superusers: they tell of private matches, and an address may hold a secret."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.test import Client

from arena.models import Delivery, Webhook
from arena.work.webhooks import rows
from tests.admin.conftest import NOW
from tests.kit.browsing import flowing

TABLES = ("webhook", "delivery")


def test_superusers_read_them_and_no_secret(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    webhook, message = Webhook.objects.get(), Delivery.objects.get()
    for table, row in zip(TABLES, (webhook, message), strict=True):
        assert superuser.get(f"/admin/arena/{table}/").status_code == 200
        page = superuser.get(f"/admin/arena/{table}/{row.pk}/change/").content.decode()
        assert "https://example.org/" in page and webhook.nonce not in page


def test_the_page_of_a_webhook_tells_in_words_how_it_stands(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    rows.switch_on(Webhook.objects.get())
    Webhook.objects.update(receiver="example.org", events="match.over bot.offline", failing=NOW)
    webhook = Webhook.objects.get()
    address = f"/admin/arena/webhook/{webhook.pk}/change/"
    page = flowing(superuser.get(address))
    account = f'<a href="/admin/auth/user/{webhook.user_id}/change/">user1</a>'
    for words in ("nothing has been accepted since 01-31 12:00", "match.over", "a match of its owner", account):
        assert words in page, words
    assert re.search(r"<details><summary> <h2[^>]*>All fields</h2>", page)
    rows.switch_off(webhook, "It answered 410.")
    assert "switched off by the server" in (page := flowing(superuser.get(address))) and "It answered 410." in page
    assert ", nothing has been accepted since 01-31 12:00" in page


def test_the_page_of_a_message_tells_in_words_how_it_went(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    message = Delivery.objects.get()
    address = f"/admin/arena/delivery/{message.pk}/change/"
    assert "requested by its owner" in flowing(superuser.get(address))
    Delivery.objects.update(kind="match.over", subject="7gk3mzrq2x", tries=2, tried=NOW, status=500, said="Oh no")
    page = flowing(superuser.get(address))
    webhook = f'<a href="/admin/arena/webhook/{message.webhook_id}/change/">'
    match = '<a href="/admin/arena/match/7gk3mzrq2x/change/">7gk3mzrq2x</a>'
    for words in ("waiting", "the first at 01-31 12:00", "status 500", "Oh no", "a match of its owner", webhook, match):
        assert words in page, words
    assert re.search(r"<details><summary> <h2[^>]*>All fields</h2>", page)


def test_other_staff_do_not(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert [staff.get(f"/admin/arena/{table}/").status_code for table in TABLES] == [403, 403]
