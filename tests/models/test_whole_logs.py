"""Logs read whole, as rows or packed."""

from __future__ import annotations

import pytest

from arena.core.packing import pack_next
from arena.match.evolve import replay
from arena.models import Event, PackedLog
from arena.models.whole_logs import DamagedLog, log_of, logs_of
from tests.core.test_log_store import append
from tests.core.test_packing import LATER, WHOLE, with_logs
from tests.kit.storage import Database

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_several_matches_some_are_packed_and_one_runs() -> None:
    with_logs("m1", "m2", "m3")
    Database().write([append("m4", *WHOLE[:5])])
    pack_next(0, LATER, most=2)
    assert PackedLog.objects.count() == 2
    logs = dict(logs_of(Event.objects.filter(match__in=["m4", "m3", "m2", "m1"])))
    assert logs == {"m1": WHOLE, "m2": WHOLE, "m3": WHOLE, "m4": WHOLE[:5]}
    assert [log_of(match) for match in ("m1", "m3", "m4", "m5")] == [WHOLE, WHOLE, WHOLE[:5], []]


def test_a_damaged_log_is_named_and_what_to_do_is_said() -> None:
    with_logs("m1", "m2")
    pack_next(0, LATER)
    row = PackedLog.objects.get(ended__match="m1")
    PackedLog.objects.filter(pk=row.pk).update(events=bytes(row.events)[:-3])
    with pytest.raises(DamagedLog, match="match m1 cannot be read: its end is missing.*backup.*replay --match m1"):
        log_of("m1")
    with pytest.raises(DamagedLog, match="match m1"):
        Database().read("m1")
    assert replay(log_of("m2")).phase == "ended"
