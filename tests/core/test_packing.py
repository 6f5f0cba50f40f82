"""Logs of matches that are over lose their rows and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection

from arena.core import packing
from arena.core.log_store import DatabaseStore, Stale
from arena.core.packing import KEPT_AS_ROWS, Packer, pack_next, unpack_all
from arena.match.commands import Rule
from arena.match.decide import decide
from arena.match.evolve import replay
from arena.match.export import to_json
from arena.match.record import lines
from arena.match.state import LogEvent
from arena.models import Event, Match, PackedLog
from arena.models.whole_logs import log_of
from tests.core.test_log_store import append
from tests.kit.appending import NOW, the_appends
from tests.kit.storage import Database, elsewhere

pytestmark = pytest.mark.django_db(transaction=True)

WHOLE = [event for events in the_appends() for event in events]
LATER = NOW + timedelta(days=1)


def with_logs(*matches: str) -> None:
    Database().write([append(match, *WHOLE) for match in matches])


def rows() -> list[tuple[Any, ...]]:
    """All that the rows say but their own numbers, which is all that can change by packing and unpacking."""
    return list(Event.objects.order_by("match_id", "seq").values_list("match_id", "epoch", *LogEvent._fields))


def kinds(match: str) -> list[str]:
    return list(Event.objects.filter(match=match).order_by("seq").values_list("kind", flat=True))


def test_a_packed_log_is_the_same_log_with_one_row() -> None:
    with_logs("m1")
    before, exported, recorded = log_of("m1"), to_json("m1", replay(WHOLE), WHOLE), "".join(lines("m1", WHOLE))
    assert pack_next(0, LATER) is not None
    assert kinds("m1") == ["ended"] and PackedLog.objects.count() == 1
    for events in (log_of("m1"), DatabaseStore().read("m1"), elsewhere(lambda: log_of("m1"))):
        assert events == before == WHOLE
        assert to_json("m1", replay(events), events) == exported
        assert "".join(lines("m1", events)) == recorded
    ended = WHOLE[-1].seq
    for first in range(1, ended + 2):
        assert DatabaseStore().read_on("m1", first) == WHOLE[first - 1 :]


def test_rows_come_back_as_they_were_with_the_hosts_that_wrote_them() -> None:
    with_logs("m1", "m2")
    Event.objects.filter(match="m2", seq__gt=4).update(epoch=9)
    Event.objects.filter(match="m1", seq=3).update(epoch=None)
    before, endings = rows(), list(Event.objects.filter(kind="ended").order_by("pk").values_list("pk", "match"))
    pack_next(0, LATER)
    assert len(rows()) == 2
    assert unpack_all() == (2, [])
    assert rows() == before and not PackedLog.objects.exists()
    assert list(Event.objects.filter(kind="ended").order_by("pk").values_list("pk", "match")) == endings
    assert unpack_all() == (0, [])


def test_a_match_that_runs_is_never_packed_and_one_that_has_just_ended_not_yet() -> None:
    Database().write([append("m1", *WHOLE[:-1]), append("m2", *WHOLE)])
    assert pack_next(0, WHOLE[-1].at) is None
    assert len(kinds("m1")) == len(WHOLE) - 1 and len(kinds("m2")) == len(WHOLE)
    last = pack_next(0, LATER)
    assert last is not None and last == Event.objects.get(match="m2", kind="ended").pk
    assert len(kinds("m1")) == len(WHOLE) - 1 and kinds("m2") == ["ended"]
    Database().write([append("m1", WHOLE[-1])])
    assert pack_next(last, LATER) is not None and kinds("m1") == ["ended"]


def test_logs_are_packed_in_the_order_of_their_endings_a_portion_at_a_time() -> None:
    with_logs("m1", "m2", "m3")
    after, packed = 0, list[str]()
    while last := pack_next(after, LATER, most=2):
        after = last
        packed += PackedLog.objects.exclude(ended__match__in=packed).values_list("ended__match_id", flat=True)
        assert len(packed) in (2, 3)
    assert packed == ["m1", "m2", "m3"] and after == Event.objects.get(match="m3", kind="ended").pk


def test_a_match_that_ended_before_it_began_is_packed_as_well() -> None:
    opened, ended = WHOLE[0], WHOLE[-1]._replace(seq=2)
    Database().write([append("m1", opened, ended)])
    pack_next(0, LATER)
    assert kinds("m1") == ["ended"] and log_of("m1") == [opened, ended]


def test_a_ruling_on_a_packed_match_is_added_behind_and_seals_the_whole_log() -> None:
    with_logs("m1", "m2")
    (ruled,) = decide(replay(WHOLE), Rule("void", None, "a fault of ours", "root"), LATER)
    Database().write([append("m1", ruled)])
    pack_next(0, LATER)
    Database().write([append("m2", ruled)])
    assert kinds("m1") == kinds("m2") == ["ended", "ruled"]
    assert log_of("m1") == log_of("m2") == [*WHOLE, ruled]
    heads = dict(Match.objects.values_list("pk", "head"))
    for match in ("m1", "m2"):
        assert f'"{heads[match]}"' in "".join(lines(match, [*WHOLE, ruled])).splitlines()[0]


def test_what_is_packed_is_stored_and_other_events_of_its_numbers_are_stale() -> None:
    with_logs("m1")
    pack_next(0, LATER)
    Database().write([append("m1", *WHOLE)])  # its commit is said to have failed
    with pytest.raises(Stale):
        Database().write([append("m1", WHOLE[0], WHOLE[1]._replace(at=LATER), *WHOLE[2:])])
    assert log_of("m1") == WHOLE and kinds("m1") == ["ended"]


def test_of_two_that_pack_one_fails_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    with_logs("m1", "m2")
    store = packing._store

    def after_another(middles: Any) -> None:
        monkeypatch.setattr(packing, "_store", store)
        elsewhere(lambda: pack_next(0, LATER, most=1))
        store(middles)

    monkeypatch.setattr(packing, "_store", after_another)
    with pytest.raises(DatabaseError):
        pack_next(0, LATER)
    assert log_of("m1") == log_of("m2") == WHOLE
    assert kinds("m1") == ["ended"] and len(kinds("m2")) == len(WHOLE)


async def test_the_host_packs_what_has_been_over_for_an_hour() -> None:
    now = datetime.now(UTC)
    old, new = ([e._replace(at=now - age) for e in WHOLE] for age in (KEPT_AS_ROWS * 2, KEPT_AS_ROWS / 2))
    await sync_to_async(Database().write)([append("m1", *old), append("m2", *new)])
    packer = Packer()
    await packer.sweep()
    assert [row.match_id async for row in Event.objects.filter(packed__isnull=False)] == ["m1"]
    assert await sync_to_async(log_of)("m1") == old
    await packer.sweep()  # nothing is looked at before a minute has passed


def test_a_log_that_would_not_be_the_same_stays() -> None:
    with_logs("m1", "m2")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE arena_event SET data = '[1]' WHERE match_id = 'm1' AND seq = 4")
    pack_next(0, LATER)
    assert len(kinds("m1")) == len(WHOLE) and kinds("m2") == ["ended"]
