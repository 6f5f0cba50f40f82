from __future__ import annotations

import pytest

from arena.models import Audit


@pytest.mark.django_db
def test_an_act_is_kept_with_its_time() -> None:
    act = Audit.objects.create(actor="alice", act="new secret", subject="bot gravity 1")
    assert (str(act), act.at.tzinfo is not None) == ("alice: new secret bot gravity 1", True)
