"""The ledger: real threads and a real database. When storage fails: test_ledger_failing.py."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError

from arena.core.ledger import MOST_IN_A_BATCH, MOST_WAITING, Busy
from arena.core.log_store import Append, MemoryStore, Stale, Store
from arena.match.commands import Play, Resign, Start
from arena.match.decide import open_match
from arena.match.evolve import replay
from arena.match.state import LogEvent
from arena.models import Event as EventRow
from arena.models import Match, Seat
from tests.kit.appending import FIRST_MOVE, NOW, OPENED, SETUP, STARTED, answers, appended, stored, the_appends
from tests.kit.deadline import DEADLINE_S
from tests.kit.storage import (
    Database,
    GatedDatabase,
    GatedMemory,
    RunLedger,
    elsewhere,
)

# -- what is written is read -----------------------------------------------------------------------------------------


@pytest.fixture(params=[MemoryStore, pytest.param(Database, marks=pytest.mark.django_db(transaction=True))])
def store(request: pytest.FixtureRequest) -> Store:
    made: Store = request.param()
    return made


async def test_a_log_is_read_as_it_was_written(store: Store, running: RunLedger) -> None:
    ledger, appends = running(store), the_appends()
    await stored(ledger, "m1", *appends)
    log = await ledger.read("m1")
    assert log == [event for events in appends for event in events]
    assert replay(log).termination == "normal"


async def test_there_is_no_log_of_an_unknown_match(store: Store, running: RunLedger) -> None:
    assert await running(store).read("never") == []


async def test_open_matches_are_those_without_an_ending_oldest_first(store: Store, running: RunLedger) -> None:
    ledger = running(store)
    for number, match in enumerate(["zz", "aa", "mm"]):
        opened = OPENED[0]._replace(at=NOW + timedelta(seconds=number))
        await stored(ledger, match, (opened,), STARTED)
    await stored(ledger, "aa", the_appends([Start(), Resign(0)])[2])
    assert await ledger.open_matches() == ["zz", "mm"]


async def test_a_taken_number_is_stale_and_nothing_of_the_append_is_stored(store: Store, running: RunLedger) -> None:
    ledger = running(store)
    await stored(ledger, "m1", OPENED, STARTED)
    ending = LogEvent(4, NOW, "ended", data={"winner": 0, "termination": "resign", "reason": "Bob resigned"})
    late = (STARTED[0]._replace(at=NOW), FIRST_MOVE[0], ending)
    (answer,) = await answers(appended(ledger, "m1", late))
    assert isinstance(answer, Stale)
    assert await ledger.read("m1") == [*OPENED, *STARTED]


async def test_the_same_append_once_more_is_there_already(store: Store, running: RunLedger) -> None:
    """A commit whose answer was lost is tried again; what followed meanwhile stays."""
    ledger = running(store)
    await stored(ledger, "m1", OPENED, STARTED, FIRST_MOVE, STARTED)
    assert await ledger.read("m1") == [*OPENED, *STARTED, *FIRST_MOVE]


# -- the rows of a match ---------------------------------------------------------------------------------------------


async def test_opening_writes_the_match_and_who_sits(transactional_db: None, running: RunLedger) -> None:
    await stored(running(Database()), "m1", OPENED)
    match: Any = elsewhere(lambda: Match.objects.values().get())
    assert (match["variant"], match["clock"], match["rated"]) == ("connect-four-7x6", "1m+1s", False)
    assert (match["opened"], match["started"], match["ended"]) == (NOW, None, None)
    seats = elsewhere(lambda: list(Seat.objects.order_by("seat").values_list("name", "kind", "protocol", "holder")))
    assert seats == [("Ada", "human", "", "ab" * 32), ("gravity", "bot", "droidcon", "")]


async def test_the_match_row_repeats_start_and_end(transactional_db: None, running: RunLedger) -> None:
    appends = the_appends()
    await stored(running(Database()), "m1", *appends)
    match: Any = elsewhere(lambda: Match.objects.values().get())
    assert (match["started"], match["ended"]) == (appends[1][0].at, appends[-1][1].at)
    assert (match["winner"], match["termination"], match["reason"]) == (0, "normal", "four in a row")
    assert match["plies"] == 7


@pytest.mark.parametrize(("moves", "plies"), [("", 0), ("434", 3)])
async def test_a_match_that_ends_between_moves_knows_how_many_there_were(
    transactional_db: None, running: RunLedger, moves: str, plies: int
) -> None:
    played = [Play(ply % 2, ply + 1, text) for ply, text in enumerate(moves)]
    await stored(running(Database()), "m1", *the_appends([Start(), *played, Resign(1)]))
    assert elsewhere(lambda: Match.objects.get().plies) == plies


# -- commit before telling, many at once -----------------------------------------------------------------------------


async def test_a_caller_is_answered_only_when_another_connection_sees_the_rows(
    transactional_db: None, running: RunLedger
) -> None:
    ledger, seen = running(Database()), list[tuple[int, int]]()
    all_told = asyncio.Event()

    def told(seq: int, error: Exception | None) -> None:
        seen.append((seq, elsewhere(lambda: EventRow.objects.filter(seq=seq).count())))
        if seq == 3:
            all_told.set()

    for events in (OPENED, STARTED, FIRST_MOVE):
        ledger.append("m1", events, partial(told, events[0].seq))
    async with asyncio.timeout(DEADLINE_S):
        await all_told.wait()
    assert seen == [(1, 1), (2, 1), (3, 1)]


async def test_what_waits_goes_into_one_transaction_and_is_answered_in_order(running: RunLedger) -> None:
    store = GatedMemory()
    store.gate.shut()
    ledger, order = running(store), list[int]()
    first = appended(ledger, "first", OPENED)
    assert await asyncio.to_thread(store.gate.reached.wait, DEADLINE_S)
    waiting = [appended(ledger, f"m{number}", OPENED) for number in range(600)]
    for number, answer in enumerate(waiting):
        answer.add_done_callback(partial(lambda number, _: order.append(number), number))
    store.gate.open()
    assert set(await answers(first, *waiting)) == {None}
    assert store.gate.batches == [1, MOST_IN_A_BATCH, 600 - MOST_IN_A_BATCH]
    assert order == list(range(600))


@pytest.mark.parametrize("wrong", ["stale", "no such room", "not for a database"])
async def test_an_append_that_cannot_be_stored_fails_alone_in_its_batch(
    transactional_db: None, running: RunLedger, wrong: str
) -> None:
    store = GatedDatabase()
    ledger = running(store)
    await stored(ledger, "m1", OPENED, STARTED, FIRST_MOVE)
    bad: tuple[LogEvent, ...] = (FIRST_MOVE[0]._replace(move="3"),)
    if wrong == "no such room":
        bad = open_match(SETUP.__class__(**{**SETUP.to_data(), "seats": SETUP.seats, "room": 4711}), NOW)
    elif wrong == "not for a database":
        bad = (FIRST_MOVE[0]._replace(seq=4, actor="\ud800"),)
    store.gate.shut()
    blocker = appended(ledger, "blocker", OPENED)
    assert await asyncio.to_thread(store.gate.reached.wait, DEADLINE_S)
    good = [appended(ledger, f"m{number}", OPENED) for number in range(2, 22)]
    match = "m22" if wrong == "no such room" else "m1"
    good.insert(10, appended(ledger, match, bad))
    store.gate.open()
    given = await answers(*good, blocker)
    kinds = {"stale": Stale, "no such room": IntegrityError, "not for a database": UnicodeEncodeError}
    assert isinstance(given.pop(10), kinds[wrong])
    assert set(given) == {None}
    assert store.gate.batches[4] == 21, "they were one batch"
    assert elsewhere(lambda: Match.objects.count()) == 22
    assert elsewhere(lambda: EventRow.objects.filter(match="m1").count()) == 3


async def test_a_number_taken_by_another_process_is_stale(transactional_db: None, running: RunLedger) -> None:
    ledger = running(Database())
    await stored(ledger, "m1", OPENED, STARTED)
    elsewhere(lambda: Database().write([Append("m1", FIRST_MOVE, lambda error: None)]))
    mine = (FIRST_MOVE[0]._replace(move="3"), LogEvent(4, NOW, "paused"))
    (answer,) = await answers(appended(ledger, "m1", mine))
    assert isinstance(answer, Stale)
    assert await ledger.read("m1") == [*OPENED, *STARTED, *FIRST_MOVE]


async def test_a_caller_that_fails_when_answered_hurts_no_other(
    running: RunLedger, caplog: pytest.LogCaptureFixture
) -> None:
    store = GatedMemory()
    store.gate.shut()
    ledger = running(store)

    def fail(error: Exception | None) -> None:
        raise RuntimeError("the caller is broken")

    ledger.append("m1", OPENED, fail)
    second = appended(ledger, "m2", OPENED)
    store.gate.open()
    assert await answers(second) == [None]
    assert "match m1: answering after the commit failed" in caplog.text


@pytest.mark.long
async def test_at_most_10_000_appends_wait_and_the_next_is_told_busy(running: RunLedger) -> None:
    assert MOST_WAITING == 10_000
    store = GatedMemory()
    store.gate.shut()
    ledger = running(store)
    waiting = [appended(ledger, f"m{number}", OPENED) for number in range(MOST_WAITING)]
    with pytest.raises(Busy):
        ledger.append("one more", OPENED, lambda error: None)
    store.gate.open()
    assert set(await answers(*waiting)) == {None}
    assert "one more" not in store.logs
    await stored(ledger, "one more", OPENED)
