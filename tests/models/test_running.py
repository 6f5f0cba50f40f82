from __future__ import annotations

import pytest
from django.db import IntegrityError

from arena.models import Handed, Lease


@pytest.mark.django_db
def test_a_lease_has_one_row() -> None:
    held = Lease.objects.create(name="host", holder="this process")
    assert str(held) == "host: this process (number 1)"
    with pytest.raises(IntegrityError):
        Lease.objects.create(name="host", holder="another")


@pytest.mark.django_db
def test_a_log_that_is_handed_over_has_no_answer_yet() -> None:
    assert Handed.objects.create(match="7gk3mzrq2x", log=[]).answer is None
