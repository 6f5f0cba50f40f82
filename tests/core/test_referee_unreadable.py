"""A match whose log turns out to be damaged while it is played ends for everybody who is in it."""

from __future__ import annotations

import asyncio

import pytest
from django.db import IntegrityError, OperationalError

from arena.core import referee
from arena.core.hub import LiveMatch
from arena.match.commands import Abort, Command, Play, Resign
from arena.match.state import LogEvent
from arena.models import Event as EventRow
from tests.core.tables import answers, houses
from tests.kit.storage import Database, FailingMemory

UNKNOWN = "9"  # a move that the rules do not know


@pytest.mark.parametrize("command", [Play(0, 1, "4"), Abort("admin_abort", "a power cut")])
async def test_it_ends_here_even_if_the_log_takes_no_ending(
    transactional_db: None, caplog: pytest.LogCaptureFixture, command: Command
) -> None:
    async with houses() as house:
        here = await house(Database()).match()
        ended = list[LiveMatch]()
        here.referee.hub.on_end.append(ended.append)
        there = await house(Database()).sit(here.live.id)
        await answers(there.act(Play(0, 1, "3")))
        log = EventRow.objects.filter(match=here.live.id)
        await log.filter(seq=3).aupdate(move=UNKNOWN)
        assert await answers(here.act(command), here.act(Resign(1))) == ["server_abort", "match_over"]
        assert here.told.kinds == ["started", "ended"]
        assert here.live.state.termination in ("server_abort", "admin_abort")
        assert await log.acount() == 3, "what is damaged is left as it is"
        await asyncio.sleep(0)  # the end is told in the next turn of the loop
        assert ended == [here.live] and f"match {here.live.id}: {command!r} could not be judged" in caplog.text


async def test_its_ending_is_stored_if_it_can_be() -> None:
    async with houses() as house:
        store = FailingMemory()
        table = await house(store).match()
        store.errors = [IntegrityError("a constraint of the database")]
        log = store.logs[table.live.id]
        log[1] = log[1]._replace(kind="move", move=UNKNOWN)
        assert await answers(table.act(Play(0, 1, "4"))) == ["server_abort"]
        await table.told.until(lambda told: "ended" in told.kinds)
        assert [event.kind for event in log] == ["opened", "move", "ended"]


async def test_one_that_is_played_elsewhere_and_cannot_be_read_can_be_ended_here(transactional_db: None) -> None:
    async with houses() as house:
        here = await house(Database()).match()
        there = await house(Database()).sit(here.live.id)
        await here.referee.relay(here.live.id)
        await answers(there.act(Play(0, 1, "3")))
        await EventRow.objects.filter(match=here.live.id, seq=3).aupdate(move=UNKNOWN)
        with pytest.raises(ValueError, match=UNKNOWN):
            await here.referee.relay(here.live.id)
        assert await answers(here.act(Abort("server_abort", "it is played again"))) == ["server_abort"]
        assert here.live.over


async def test_storage_that_fails_for_long_is_one_line_of_the_log(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(referee, "READ_AGAIN_S", 0.01)
    async with houses() as house:
        store = UnreadableDatabase()
        here = await house(store).match()
        there = await house(Database()).sit(here.live.id)
        await answers(there.act(Play(0, 1, "3")))
        store.failures = 5
        assert await answers(here.act(Play(0, 1, "4"))) == ["stale"]
        assert not store.failures and here.live.state == there.live.state
    said = [record.getMessage() for record in caplog.records if "cannot be read" in record.getMessage()]
    assert len(said) == 2 and said[1].startswith("resolved:"), said
    assert "Traceback" not in caplog.text


class UnreadableDatabase(Database):
    """Cannot be read as many times as `failures` says."""

    failures = 0

    def read(self, match: str) -> list[LogEvent]:
        if self.failures:
            self.failures -= 1
            raise OperationalError("the database is away")
        return super().read(match)
