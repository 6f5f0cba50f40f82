"""What follows from how matches ended stands or falls with the ending, and never takes an ending with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from django.db import OperationalError

from arena.core.ledger import Ledger
from arena.core.log_store import Append
from arena.match.state import LogEvent
from arena.models import Match, Player, Rating, RatingChange
from arena.ratings.book import recompute
from tests.kit.deadline import DEADLINE_S
from tests.kit.rated import FOUR, a_match, a_ruling, cast
from tests.kit.storage import Database, ForgetfulDatabase, GatedDatabase, RunLedger, elsewhere


async def stored(ledger: Ledger, appends: Sequence[Append]) -> list[Exception | None]:
    loop = asyncio.get_running_loop()
    waiting: list[asyncio.Future[Exception | None]] = [loop.create_future() for _ in appends]
    for append, answer in zip(appends, waiting, strict=True):
        ledger.append(append.match, append.events, answer.set_result)
    async with asyncio.timeout(DEADLINE_S):
        return await asyncio.gather(*waiting)


def in_a_thread(*names: str) -> list[Player]:
    return elsewhere(lambda: cast(*names))


async def test_endings_of_one_player_at_once_count_one_after_the_other(
    transactional_db: None, running: RunLedger
) -> None:
    alice, *others = in_a_thread("alice", *[f"player-{number}" for number in range(40)])
    store = GatedDatabase()
    ledger = running(store)
    store.gate.shut()
    answers = asyncio.create_task(
        stored(ledger, [a_match(alice, other, number % 2) for number, other in enumerate(others)])
    )
    await asyncio.sleep(0)
    store.gate.open()
    assert await answers == [None] * len(others)
    rating = elsewhere(lambda: Rating.objects.get(player=alice))
    assert (rating.matches, rating.won) == (40, 20)
    assert elsewhere(lambda: recompute(FOUR)) == []


async def test_a_stale_ending_changes_no_rating(transactional_db: None, running: RunLedger) -> None:
    alice, bob = in_a_thread("alice", "bob")
    ledger = running(Database())
    first, second = a_match(alice, bob, 0, match="m1"), a_match(alice, bob, 1, match="m1")
    assert await stored(ledger, [first]) == [None]
    (answer,) = await stored(ledger, [second])
    assert answer is not None
    assert elsewhere(lambda: list(RatingChange.objects.values_list("last", flat=True))) == ["W", "L"]


async def test_a_commit_whose_answer_was_lost_counts_once(
    transactional_db: None, running: RunLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.core.ledger.FIRST_RETRY_S", 0.01)
    alice, bob = in_a_thread("alice", "bob")
    assert await stored(running(ForgetfulDatabase()), [a_match(alice, bob), a_match(bob, alice)]) == [None, None]
    assert elsewhere(lambda: Rating.objects.get(player=alice).last) == "WL"


async def test_while_storage_fails_for_the_consequences_the_ending_waits_for_them(
    transactional_db: None, running: RunLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.core.ledger.FIRST_RETRY_S", 0.01)
    failures = [OperationalError("database or disk is full")] * 3

    def fails(closing: Sequence[tuple[str, LogEvent]]) -> None:
        if failures:
            raise failures.pop()

    monkeypatch.setattr("arena.core.log_store.CONSEQUENCES", (fails,))
    alice, bob = in_a_thread("alice", "bob")
    assert await stored(running(Database()), [a_match(alice, bob)]) == [None]
    assert failures == [] and elsewhere(lambda: Match.objects.count()) == 1


async def test_a_defect_in_the_consequences_costs_no_ending_and_nobody_else_anything(
    transactional_db: None, running: RunLedger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from arena.core.log_store import CONSEQUENCES

    def stumbles(closing: Sequence[tuple[str, LogEvent]]) -> None:
        Player.objects.create(kind="guest", name="half done", slug="half-done")
        if any(match == "cursed" for match, _ in closing):
            raise ZeroDivisionError("a defect of ours")
        Player.objects.all().filter(slug="half-done").delete()

    monkeypatch.setattr("arena.core.log_store.CONSEQUENCES", (*CONSEQUENCES, stumbles))
    alice, bob = in_a_thread("alice", "bob")
    ledger = running(Database())
    assert (
        await stored(ledger, [a_match(alice, bob), a_match(alice, bob, match="cursed"), a_match(bob, alice)])
        == [None] * 3
    )
    assert "match cursed: the consequences" in caplog.text
    assert elsewhere(lambda: Match.objects.filter(ended__isnull=False).count()) == 3
    assert elsewhere(lambda: Rating.objects.get(player=alice).last) == "WL", "all or nothing of what follows"
    assert len(elsewhere(lambda: recompute(FOUR, write=True))) == 6, "and it can be made good"
    assert elsewhere(lambda: Rating.objects.get(player=alice).last) == "WWL"
    assert not elsewhere(lambda: Player.objects.filter(slug="half-done").exists())


async def test_a_ruling_is_stored_with_what_it_changes(transactional_db: None, running: RunLedger) -> None:
    alice, bob = in_a_thread("alice", "bob")
    ledger, append = running(Database()), a_match(alice, bob)
    await stored(ledger, [append])
    assert await stored(ledger, [a_ruling(append.match, "win", 1)]) == [None]
    assert elsewhere(lambda: Rating.objects.get(player=alice).last) == "L"
