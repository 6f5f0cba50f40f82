"""Logs of matches that were played elsewhere: handed to the host, or stored without one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.db.models import F

from arena.cluster.lease import LockLease
from arena.core.ledger import Ledger
from arena.core.log_store import MemoryStore
from arena.core.played import Inbox, enter, store_played, why_not
from arena.host import Host
from arena.match.commands import Play, Start
from arena.match.export import from_rows, to_rows
from arena.match.state import LogEvent
from arena.models import Event as EventRow
from arena.models import Handed, Lease, Match
from tests.core.test_ledger_failing import never_dies
from tests.kit.appending import A_WHOLE_MATCH, the_appends
from tests.kit.deadline import DEADLINE_S
from tests.kit.storage import FailingMemory
from tests.kit.until import asked_until, until

WHOLE = [event for events in the_appends() for event in events]
UNFINISHED = [event for events in the_appends(A_WHOLE_MATCH[:2]) for event in events]
FORGED = [event._replace(left0_ms=9_999_999) if event.kind == "move" else event for event in WHOLE]


@pytest.fixture
def data(tmp_path: Path, settings: Any) -> Path:
    settings.ARENA_DATA = tmp_path
    return tmp_path


def test_a_log_is_judged_before_it_is_taken() -> None:
    assert why_not(WHOLE) == ""
    assert why_not(UNFINISHED) == "the match has no ending"
    assert why_not(FORGED).startswith("event 3: the rules say")


def test_a_log_goes_through_json_unharmed() -> None:
    assert list(from_rows(json.loads(json.dumps(to_rows(WHOLE))))) == WHOLE


async def test_the_host_takes_a_log_in_once_whole() -> None:
    ledger = Ledger(store := MemoryStore(), never_dies)
    assert await store_played(ledger, "m1", WHOLE) == ""
    assert store.read("m1") == WHOLE
    assert await store_played(ledger, "m1", WHOLE) == "", "it is there already"
    other = [event for events in the_appends([Start(), *(Play(n % 2, n + 1, c) for n, c in enumerate("1212121"))])
             for event in events]  # fmt: skip
    assert await store_played(ledger, "m1", other) == "there is another match m1"
    assert "the rules say" in await store_played(ledger, "m2", FORGED)
    assert store.read("m2") == []
    await ledger.close()


@pytest.mark.django_db(transaction=True)
def test_without_a_host_whoever_played_takes_the_lease_for_the_time_of_storing(data: Path) -> None:
    answers = enter([("m1", WHOLE), ("m2", FORGED), ("m3", WHOLE)])
    assert [bool(answer) for answer in answers] == [False, True, False]
    assert set(Match.objects.values_list("id", flat=True)) == {"m1", "m3"}
    assert set(EventRow.objects.values_list("epoch", flat=True)) == {1}
    assert LockLease(data).holder() == "" and Lease.objects.get().epoch == 1
    assert enter([("m1", WHOLE)]) == [""], "it is there already"


class TakenFromUs(list[LogEvent]):
    """While this log is read for the first time, another process becomes the host, and ends."""

    def __init__(self, events: list[LogEvent]) -> None:
        super().__init__(events)
        self._fresh = True

    def __iter__(self) -> Iterator[LogEvent]:
        if self._fresh:
            self._fresh = False
            Lease.objects.filter(name="host").update(epoch=F("epoch") + 1)
        return super().__iter__()


@pytest.mark.django_db(transaction=True)
def test_whoever_loses_the_lease_while_it_stores_has_the_rest_stored(data: Path) -> None:
    assert enter([("m1", WHOLE), ("m2", TakenFromUs(WHOLE)), ("m3", WHOLE)]) == ["", "", ""]
    assert Match.objects.filter(ended__isnull=False).count() == 3


async def test_with_a_host_it_is_the_host_that_stores(host: Host, data: Path) -> None:
    lease = LockLease(data)
    lock = lease._locked()  # as the host of this test would have it
    assert lock is not None
    answers = await asyncio.to_thread(enter, [("m1", WHOLE), ("m2", FORGED)])
    assert answers[0] == "" and "the rules say" in answers[1]
    assert await host.ledger.read("m1") == WHOLE and await host.ledger.read("m2") == []
    assert not await Handed.objects.aexists(), "the answers have been fetched"
    lock.close()


async def test_a_log_that_waits_under_the_same_name_is_not_taken_for_one_s_own(
    transactional_db: None, data: Path
) -> None:
    """As of two commands beside each other: the second was told that its match is stored, and it was not."""
    lock = LockLease(data)._locked()
    assert lock is not None
    other = [WHOLE[0]._replace(at=WHOLE[0].at + timedelta(microseconds=1)), *WHOLE[1:]]
    await Handed.objects.acreate(match="m1", log=await sync_to_async(to_rows)(other), answer="")
    assert await asyncio.to_thread(enter, [("m1", WHOLE)]) == ["there is another match m1"]
    assert await Handed.objects.filter(match="m1", answer="").aexists(), "its owner has not fetched the answer"
    lock.close()
    assert await asyncio.to_thread(enter, [("m1", WHOLE)]) == [""]
    assert await Handed.objects.filter(match="m1").aexists()


async def test_what_a_host_left_behind_is_stored_when_it_has_gone(transactional_db: None, data: Path) -> None:
    lock = LockLease(data)._locked()
    assert lock is not None
    entering = asyncio.ensure_future(asyncio.to_thread(enter, [("m1", WHOLE)]))
    async with asyncio.timeout(DEADLINE_S):
        await asked_until(Handed.objects.aexists, bool)
        lock.close()
        assert await entering == [""]
    assert await Match.objects.filter(pk="m1").aexists() and not await Handed.objects.aexists()


async def test_a_log_that_waits_for_storage_does_not_keep_the_host_from_stopping(transactional_db: None) -> None:
    await Handed.objects.acreate(match="m1", log=await sync_to_async(to_rows)(WHOLE))
    ledger = Ledger(FailingMemory(*[OperationalError("database is locked")] * 10_000), never_dies)
    inbox = Inbox(ledger)
    async with asyncio.timeout(DEADLINE_S):
        await until(lambda: ledger.failing)
        await inbox.close()
        await ledger.close()
        await until(inbox._looking.done)
    assert await Handed.objects.filter(answer=None).aexists(), "the next host stores it"


async def test_what_cannot_be_read_is_answered_and_stops_nobody(host: Host) -> None:
    await Handed.objects.acreate(match="m1", log=[[1, "yesterday"], []])
    await Handed.objects.acreate(match="m2", log=await sync_to_async(to_rows)(WHOLE))
    await asked_until(Handed.objects.filter(answer=None).aexists, lambda waiting: not waiting)
    said = {row.match: row.answer async for row in Handed.objects.all()}
    assert str(said["m1"]).startswith("it cannot be read") and said["m2"] == ""


def test_an_event_of_a_log_is_one() -> None:
    assert all(isinstance(event, LogEvent) for event in from_rows(to_rows(WHOLE)))
