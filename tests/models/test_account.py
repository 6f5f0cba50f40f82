from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from arena.models import OneTimeCode, Player

pytestmark = pytest.mark.django_db


def test_an_account_has_one_code_and_it_goes_with_it() -> None:
    ada = User.objects.create_user("ada")
    code = {"code_sha256": "0" * 64, "expires": datetime(2026, 1, 31, tzinfo=UTC)}
    OneTimeCode.objects.create(user=ada, **code)
    with transaction.atomic(), pytest.raises(IntegrityError):
        OneTimeCode.objects.create(user=ada, **code)
    ada.delete()
    assert not OneTimeCode.objects.exists()


def test_an_account_is_one_person() -> None:
    ada = User.objects.create_user("ada")
    Player.objects.create(kind="person", name="Ada", slug="ada", user=ada)
    with pytest.raises(IntegrityError):
        Player.objects.create(kind="person", name="Ada 2", slug="ada-2", user=ada)
