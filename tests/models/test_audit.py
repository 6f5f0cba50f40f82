from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from arena.models import Audit, Room


@pytest.mark.django_db
def test_an_act_is_kept_with_its_time() -> None:
    act = Audit.objects.create(actor="alice", act="new secret", subject="bot gravity 1")
    assert (str(act), act.at.tzinfo is not None) == ("alice: new secret bot gravity 1", True)


@pytest.mark.django_db
def test_what_is_longer_than_its_column_is_cut() -> None:
    act = Audit.objects.note("a" * 150, "b" * 65, "c" * 201, reason="d" * 500)
    assert (act.actor, act.act, act.subject) == ("a" * 64, "b" * 64, "c" * 200)
    assert act.data == {"reason": "d" * 500}


@pytest.mark.django_db
def test_an_upgrade_takes_the_keys_of_private_rooms_out_of_the_record() -> None:
    for code, private in (("otter-1", True), ("otter-2", False)):
        Room.objects.create(code=code.upper(), shown_code=code, private=private, variant="connect-four-7x6")
        for act in ("room closed", "tournament open"):
            Audit.objects.create(actor="root", act=act, subject=code)
    import_module("arena.migrations.0280_private_rooms_in_audit").name_by_number(apps, None)
    room = Room.objects.get(code="OTTER-1")
    told = Audit.objects.filter(act="room closed").order_by("pk").values_list("subject", flat=True)
    assert list(told) == [f"private room {room.pk}", "otter-2"]
    assert Audit.objects.filter(act="tournament open", subject="otter-1").exists(), "an event may have that name"
