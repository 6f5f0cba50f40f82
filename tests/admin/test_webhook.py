"""Messages of webhooks are for superusers: they tell of private matches, and an address may hold a secret."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from arena.models import Delivery, Webhook

TABLES = ("webhook", "delivery")


def test_superusers_read_them_and_no_secret(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    webhook, message = Webhook.objects.get(), Delivery.objects.get()
    for table, row in zip(TABLES, (webhook, message), strict=True):
        assert superuser.get(f"/admin/arena/{table}/").status_code == 200
        page = superuser.get(f"/admin/arena/{table}/{row.pk}/change/").content.decode()
        assert "https://example.org/" in page and webhook.nonce not in page


def test_other_staff_do_not(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert [staff.get(f"/admin/arena/{table}/").status_code for table in TABLES] == [403, 403]
