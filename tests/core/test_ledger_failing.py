"""The ledger while storage fails, and at the end of its thread."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest
from django.db import IntegrityError, OperationalError, connection

from arena.core.ledger import Ledger, LedgerClosed
from arena.core.log_store import Append, MemoryStore, Stale
from arena.match.state import LogEvent
from arena.models import Event as EventRow
from tests.kit.appending import OPENED, answers, appended
from tests.kit.deadline import DEADLINE_S
from tests.kit.storage import (
    Database,
    FailingMemory,
    ForgetfulDatabase,
    RunLedger,
    elsewhere,
)
from tests.kit.until import until


@pytest.fixture
def threads_that_meet_often() -> Iterator[None]:
    """Switch between threads every microsecond: what can come between two lines does."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


# -- storage that fails ----------------------------------------------------------------------------------------------


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.core.ledger.FIRST_RETRY_S", 0.01)
    monkeypatch.setattr("arena.core.ledger.LONGEST_RETRY_S", 0.02)


@pytest.mark.usefixtures("quick_retries")
async def test_while_storage_fails_nobody_is_answered_and_then_everybody_is(running: RunLedger) -> None:
    store = FailingMemory(*[OperationalError("database or disk is full")] * 5)
    ledger, lengths = running(store), list[float]()
    ledger.on_restored = lengths.append
    answer = appended(ledger, "m1", OPENED)
    assert await answers(answer, appended(ledger, "m2", OPENED)) == [None, None]
    assert len(lengths) == 1 and lengths[0] > 0
    assert not ledger.failing
    assert set(store.logs) == {"m1", "m2"}


@pytest.mark.usefixtures("quick_retries")
async def test_that_storage_fails_is_seen_until_it_works_again(running: RunLedger) -> None:
    store = FailingMemory(*[OperationalError("database is locked")] * 10_000)
    ledger = running(store)
    answer = appended(ledger, "m1", OPENED)
    await until(lambda: ledger.failing)
    assert not answer.done()
    store.errors.clear()
    assert await answers(answer) == [None]
    assert not ledger.failing


@pytest.mark.usefixtures("quick_retries")
async def test_a_commit_whose_answer_was_lost_is_a_success(transactional_db: None, running: RunLedger) -> None:
    ledger, lengths = running(ForgetfulDatabase()), list[float]()
    ledger.on_restored = lengths.append
    assert await answers(*[appended(ledger, f"m{number}", OPENED) for number in range(3)]) == [None] * 3
    assert elsewhere(lambda: EventRow.objects.count()) == 3
    assert len(lengths) == 1
    assert not ledger.failing


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("error", [Stale(), IntegrityError("no such room"), ValueError("NUL")])
async def test_storage_works_again_also_when_the_first_thing_it_says_is_no(
    running: RunLedger, error: Exception
) -> None:
    ledger, lengths = running(FailingMemory(OperationalError("database is locked"), error)), list[float]()
    ledger.on_restored = lengths.append
    assert await answers(appended(ledger, "m1", OPENED)) == [error]
    assert len(lengths) == 1
    assert not ledger.failing


async def test_a_broken_connection_is_replaced_for_the_next_reader(transactional_db: None) -> None:
    store = Database()

    def break_then_read_twice() -> list[LogEvent]:
        store.write([Append("m1", OPENED, lambda error: None)])
        connection.connection.close()
        with pytest.raises(Exception, match="closed"):
            store.read("m1")
        return store.read("m1")

    assert elsewhere(break_then_read_twice) == list(OPENED)


# -- the thread -------------------------------------------------------------------------------------------


def never_dies(error: BaseException) -> None:
    raise AssertionError("the writer died") from error


@pytest.mark.long
async def test_closing_stores_what_waits() -> None:
    store = MemoryStore()
    ledger = Ledger(store, never_dies)
    waiting = [appended(ledger, f"m{number}", OPENED) for number in range(2_000)]
    async with asyncio.timeout(DEADLINE_S):
        await ledger.close()
    assert len(store.logs) == 2_000
    assert set(await answers(*waiting)) == {None}


@pytest.mark.usefixtures("threads_that_meet_often")
async def test_the_writer_wakes_for_every_append_however_they_come(running: RunLedger) -> None:
    ledger = running(MemoryStore())

    async def one_after_the_other(match: str) -> None:
        for seq in range(1, 301):
            assert await answers(appended(ledger, match, (OPENED[0]._replace(seq=seq),))) == [None]
            if seq % 7 == 0:
                await asyncio.sleep(0.001)

    async with asyncio.timeout(DEADLINE_S):
        await asyncio.gather(*[one_after_the_other(f"m{number}") for number in range(5)])


@pytest.mark.long
@pytest.mark.usefixtures("threads_that_meet_often")
async def test_an_append_right_before_the_end_is_stored() -> None:
    for number in range(2_000):
        store = MemoryStore()
        ledger = Ledger(store, never_dies)
        for _ in range(number % 100):  # the writer is at another line each time
            pass
        answer = appended(ledger, "m1", OPENED)
        async with asyncio.timeout(DEADLINE_S):
            await ledger.close()
        assert await answers(answer) == [None]


@pytest.mark.long
async def test_closing_does_not_wait_for_storage_that_fails_and_says_what_was_not_stored() -> None:
    store = FailingMemory(*[OperationalError("database or disk is full")] * 10_000)
    ledger = Ledger(store, never_dies)
    waiting = [appended(ledger, f"m{number}", OPENED) for number in range(2_000)]
    async with asyncio.timeout(DEADLINE_S):
        await ledger.close()
    given = await answers(*waiting)
    assert {type(error) for error in given} == {OperationalError}
    assert store.logs == {}


async def test_what_comes_after_the_end_is_told_so(transactional_db: None) -> None:
    ledger = Ledger(Database(), never_dies)
    async with asyncio.timeout(DEADLINE_S):
        await ledger.close()
    with pytest.raises(LedgerClosed):
        ledger.append("m1", OPENED, lambda error: None)
    assert elsewhere(lambda: EventRow.objects.count()) == 0


async def test_a_log_in_memory_is_answered_at_once_and_what_follows_from_an_answer_after_it() -> None:
    ledger = Ledger(MemoryStore(), never_dies)
    said: list[str] = []

    def opened(error: Exception | None) -> None:
        ledger.append("m2", OPENED, lambda error: said.append("second"))
        said.append("first")

    ledger.append("m1", OPENED, opened)
    assert said == ["first", "second"]
    await ledger.close()
    with pytest.raises(LedgerClosed):
        ledger.append("m3", OPENED, opened)


async def test_the_death_of_the_writer_is_reported_at_once(caplog: pytest.LogCaptureFixture) -> None:
    died: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
    fatal = SystemExit("out of memory")
    ledger = Ledger(FailingMemory(fatal), died.set_result)
    ledger.append("m1", OPENED, lambda error: None)
    async with asyncio.timeout(DEADLINE_S):
        assert await died is fatal
        await ledger.close()
    assert "the ledger's writer has died" in caplog.text
