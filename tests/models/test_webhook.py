from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.models import Delivery, Webhook

pytestmark = pytest.mark.django_db


def a_webhook() -> Webhook:
    return Webhook.objects.create(user=User.objects.create_user("ada"), url="https://example.org/")


def test_a_message_is_settled_where_it_does_not_wait_and_nowhere_else() -> None:
    webhook = a_webhook()
    for wrong in ({"state": "delivered"}, {"state": "given up"}, {"settled": timezone.now()}):
        with transaction.atomic(), pytest.raises(IntegrityError):
            Delivery.objects.create(webhook=webhook, kind="test", **wrong)


def test_messages_have_names_of_their_own_and_go_with_their_account() -> None:
    webhook = a_webhook()
    first, second = (Delivery.objects.create(webhook=webhook, kind="test") for _ in range(2))
    assert first.name != second.name and len(first.name) == 28
    webhook.user.delete()
    assert not Webhook.objects.exists() and not Delivery.objects.exists()
