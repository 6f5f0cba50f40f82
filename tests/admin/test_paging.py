from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from arena.admin import paging


@pytest.mark.django_db
def test_what_nobody_turns_to_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.bulk_create(User(username=f"user{n}") for n in range(4))
    monkeypatch.setattr(paging, "MOST_COUNTED", 2)
    some = paging.BoundedPaginator(User.objects.order_by("pk"), 10).count
    assert (some, str(some)) == (2, "more than 2")
    monkeypatch.setattr(paging, "MOST_COUNTED", 4)
    assert str(paging.BoundedPaginator(User.objects.order_by("pk"), 10).count) == "4"
