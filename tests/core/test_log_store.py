"""The store behind its fence. As the ledger uses it: test_ledger.py."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import connection
from django.db.models import F

from arena.cluster.lease import HOST, Fence
from arena.core.log_statements import Fenced
from arena.core.log_store import CACHE_KIB, FAILURES, Append, DatabaseStore, MemoryStore
from arena.core.storage_trouble import READ_ONLY_THERE, cause_of
from arena.match.evolve import replay
from arena.match.export import to_rows
from arena.match.record import head
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Event as EventRow
from arena.models import Lease, Match, Ruling, Seat
from tests.kit.appending import FIRST_MOVE, OPENED, STARTED, the_appends
from tests.kit.refereeing import refereeing
from tests.kit.storage import Database, elsewhere, held

pytestmark = pytest.mark.django_db(transaction=True)


def append(match: str, *events: LogEvent) -> Append:
    return Append(match, events, lambda error: None)


def another_takes_the_lease() -> None:
    Lease.objects.update(epoch=F("epoch") + 1)


def stored() -> Sequence[int]:
    return [model.objects.count() for model in (Match, Seat, EventRow, Ruling)]


def test_every_line_tells_which_host_wrote_it_and_no_event_knows() -> None:
    first = DatabaseStore(held())
    first.write([append("m1", *OPENED, *STARTED)])
    another_takes_the_lease()
    second = DatabaseStore(held())
    second.write([append("m1", *FIRST_MOVE)])
    assert list(EventRow.objects.order_by("seq").values_list("epoch", flat=True)) == [1, 1, 2]
    assert second.read("m1") == [*OPENED, *STARTED, *FIRST_MOVE]


def test_who_only_reads_shares_statements_and_each_host_writes_with_its_own() -> None:
    assert DatabaseStore()._log is DatabaseStore()._log
    DatabaseStore(held()).write([append("m1", *OPENED)])
    another_takes_the_lease()
    DatabaseStore(held()).write([append("m1", *STARTED)])
    assert DatabaseStore().read("m1") == [*OPENED, *STARTED]


@pytest.mark.parametrize("matches", [1, 3, 200])
def test_who_has_lost_the_lease_writes_nothing_of_anything(matches: int) -> None:
    store = DatabaseStore(held())
    store.write([append("m1", *OPENED)])
    before = stored()
    another_takes_the_lease()
    whole = [event for events in the_appends() for event in events]
    for appends in (
        [append("m1", *STARTED)],
        [append(f"n{number}", *OPENED) for number in range(matches)],
        [append(f"n{number}", *whole) for number in range(matches)],
    ):
        with pytest.raises(Fenced):
            store.write(appends)
        assert stored() == before


@pytest.mark.parametrize("fence", [Fence("another", 1), Fence(HOST, 0), Fence(HOST, 2)])
def test_no_other_number_and_no_other_lease_will_do(fence: Fence) -> None:
    held()
    with pytest.raises(Fenced):
        DatabaseStore(fence).write([append("m1", *OPENED)])
    assert stored() == [0, 0, 0, 0]


def test_who_is_fenced_is_so_before_anything_else_can_be_wrong_with_what_it_writes() -> None:
    """Neither stale nor refused by the database: it is not asked that far."""
    store = DatabaseStore(held())
    store.write([append("m1", *OPENED, *STARTED)])
    another_takes_the_lease()
    for wrong in (STARTED[0]._replace(kind="paused"), FIRST_MOVE[0]._replace(ply=None)):
        with pytest.raises(Fenced):
            store.write([append("m1", wrong)])


def test_without_a_fence_the_log_is_only_read() -> None:
    DatabaseStore(held()).write([append("m1", *OPENED)])
    reader = DatabaseStore()
    assert reader.read("m1") == list(OPENED)
    with pytest.raises(AssertionError, match="fence"):
        reader.write([append("m1", *STARTED)])


@pytest.mark.service
def test_what_postgresql_takes_no_writes_for_is_tried_again(on_postgres: None) -> None:
    store = DatabaseStore(held())
    for appends in (["one"], ["one", "two"]):
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")
        with pytest.raises(FAILURES) as raised:
            store.write([append(match, *OPENED, *STARTED) for match in appends])
        assert cause_of(raised.value) == READ_ONLY_THERE, appends
    store.write([append("one", *OPENED, *STARTED)])
    assert EventRow.objects.filter(match="one").exists()


def test_a_log_in_memory_has_no_other_host() -> None:
    store = MemoryStore()
    store.write([append("m1", *OPENED)])
    assert store.read("m1") == list(OPENED) and store.open_matches() == ["m1"]


def test_the_head_is_that_of_the_stored_log_whether_the_writer_had_it_at_hand_or_not() -> None:
    whole = [event for events in the_appends() for event in events]
    assert whole[-1].kind == "ended"
    store = DatabaseStore(held())
    for match, before in (("m1", whole[:-1]), ("m2", []), ("m3", whole[:2])):
        store.write([append(match, *whole[:-1])])
        store.write([append(match, whole[-1])._replace(before=before)])
        assert Match.objects.get(pk=match).head == head(match, store.read(match)) != ""
    store.write([append("m4", *whole)])  # as a match comes that was played elsewhere
    assert Match.objects.get(pk="m4").head == head("m4", store.read("m4")) != ""


def test_the_writer_alone_has_a_large_cache_on_sqlite() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has one cache for all")
    assert elsewhere(_cache_kib) == 512
    Database().write([append("m1", *OPENED)])
    assert _cache_kib() == CACHE_KIB


def _cache_kib() -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA cache_size")
        return -int(cursor.fetchone()[0])


async def test_a_match_in_memory_says_of_its_opening_what_the_log_says() -> None:
    store, seats = MemoryStore(), (SeatSetup("Ada"), SeatSetup("gravity", "bot", 7, holder="ab" * 32))
    async with refereeing(store) as referee:
        live = await referee.open(Setup("expanding-nim", seats, settings={"stones": 30}, opening="3 1"))
        await referee.abort(live, "abort", "nobody came")
    log = store.logs[live.id]
    assert (live.events, live.state, head(live.id, live.events)) == (log, replay(log), head(live.id, log))
    assert to_rows(live.events) == to_rows(log)
