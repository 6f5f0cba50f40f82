from __future__ import annotations

import pytest
from django.db import IntegrityError

from arena.models import Analysis, Machine, Returned, Work


def test_they_are_called_by_what_they_are_about() -> None:
    assert str(Work(key="analyse:abc", state="out")) == "analyse:abc"
    assert str(Analysis(match_id="abc", kernel="c992957b9626")) == "abc by c992957b9626"
    assert str(Machine(name="blade 41")) == "blade 41"
    assert str(Returned(work_id=7, token=2)) == "7 #2"


@pytest.mark.django_db
def test_what_is_out_has_a_lease() -> None:
    with pytest.raises(IntegrityError):
        Work.objects.create(kind="sum", key="a", state="out")
