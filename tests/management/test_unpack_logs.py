"""Back to a release that knows no packed logs."""

from __future__ import annotations

from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from arena.core.packing import pack_next
from arena.models import Event, PackedLog
from arena.models.whole_logs import log_of
from tests.core.test_packing import LATER, WHOLE, rows, with_logs

pytestmark = pytest.mark.django_db(transaction=True)


def said(command: str, *words: str) -> str:
    out = StringIO()
    call_command(command, *words, stdout=out)
    return out.getvalue()


def test_logs_are_rows_again_and_only_then_may_the_table_go() -> None:
    with_logs("m1", "m2")
    before = rows()
    pack_next(0, LATER)
    refuse = import_module("arena.migrations.0200_packed_log").refuse_while_packed
    with pytest.raises(RuntimeError, match="run manage.py unpack_logs first"):
        refuse(apps, None)
    assert said("unpack_logs") == "Unpacked 2 logs.\n"
    refuse(apps, None)
    assert rows() == before
    assert said("unpack_logs") == "Unpacked 0 logs.\n"


def test_a_damaged_one_is_named_and_the_others_come_back() -> None:
    with_logs("m1")
    pack_next(0, LATER)
    PackedLog.objects.update(events=b"\x78")
    with_logs("m2")
    pack_next(Event.objects.get(match="m1", kind="ended").pk, LATER)
    with pytest.raises(CommandError, match="the packed log of match m1 cannot be read"):
        said("unpack_logs")
    assert log_of("m2") == WHOLE
    assert list(PackedLog.objects.values_list("ended__match_id", flat=True)) == ["m1"]
