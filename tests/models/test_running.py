from __future__ import annotations

import pytest
from django.db import IntegrityError
from django.utils import timezone

from arena.models import Host


@pytest.mark.django_db
def test_there_is_one_host() -> None:
    Host.objects.create(holder="this process", expires=timezone.now())
    with pytest.raises(IntegrityError):
        Host.objects.create(id=2, holder="another", expires=timezone.now())
