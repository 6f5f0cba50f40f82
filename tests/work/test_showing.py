"""Matches that are seen while a desk has them played: what is stored of them when, and who ends those left open."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from arena.cluster.lease import Fence
from arena.models import Work
from arena.models.whole_logs import DamagedLog
from arena.work import forwarding, rows
from arena.work.desk import Desk
from arena.work.engine import RunLost
from arena.work.rows import AnswerRefused, Kind, WorkRun
from tests.kit.until import asked_until, until
from tests.work.test_desk import Bench, submitted

pytestmark = pytest.mark.django_db(transaction=True)


class Teller(Bench):
    """The test sends the slices as well."""

    def __init__(self) -> None:
        super().__init__()
        self.tell: Any = None

    async def run(self, slot: int, function: str, job: Any, on_slice: Any = None) -> Any:
        self.tell = on_slice
        return await super().run(slot, function, job, on_slice)


class Hall:
    """A desk whose matches are seen on `screen`, as it was called."""

    def __init__(self) -> None:
        self.bench = Teller()
        self.answers: list[Exception] = []
        self.stored: list[tuple[str, Any]] = []
        self.screen: list[tuple[str, str]] = []
        kind = Kind("m:f", lambda run: 1, self._store, store_slice=self._store_slice)
        self.desk = Desk(self.bench, {"sum": kind}, None, lambda: True, lambda run: None, self)

    async def show(self, match: str) -> None:
        self.screen.append(("show", match))

    async def end(self, match: str) -> None:
        self.screen.append(("end", match))

    async def begun(self) -> asyncio.Future[Any]:
        """What the run is that is out, as soon as it is."""
        await until(lambda: bool(self.bench.jobs))
        return self.bench.jobs[0][1]

    async def watch(self) -> None:
        await Work.objects.aupdate(watched=True)
        self.desk.call()

    def _store(self, run: WorkRun, found: Any, fence: Fence | None) -> bool:
        return rows.answer(run, lambda: self.stored.append((run.match, found)), fence)

    def _store_slice(self, run: WorkRun, found: Any, fence: Fence | None) -> str:
        if self.answers:
            raise self.answers.pop(0)
        kept = rows.keep_slice(run, "m1", lambda: self.stored.append((run.match, found["events"])), fence)
        return "m1" if kept else ""


def part(base: int, *events: int) -> dict[str, Any]:
    return {"match": "m", "base": base, "events": list(events)}


async def test_nothing_is_stored_before_somebody_watches_and_then_all_of_it() -> None:
    await submitted("a")
    hall = Hall()
    answer = await hall.begun()
    hall.bench.tell(part(0, 1, 2))
    hall.bench.tell(part(2, 3))
    hall.desk.call()
    assert hall.stored == []
    await hall.watch()
    await until(lambda: hall.screen == [("show", "m1")])
    hall.bench.tell(part(3, 4))
    await until(lambda: len(hall.screen) == 2)
    answer.set_result("all of it")
    await asked_until(Work.objects.filter(state="done").acount, bool)
    await until(lambda: hall.screen == [("show", "m1")] * 3)
    assert hall.stored == [("", [1, 2, 3]), ("m1", [4]), ("m1", "all of it")]
    await hall.desk.close()


async def test_a_match_left_open_is_ended_before_its_row_is_anybodys(monkeypatch: pytest.MonkeyPatch) -> None:
    await submitted("a")
    await Work.objects.aupdate(watched=True)
    hall = Hall()
    answer = await hall.begun()
    hall.bench.tell(part(0, 1))
    await until(lambda: bool(hall.screen))
    await sync_to_async(lambda: rows.claim("another", ("sum",)))()
    answer.set_exception(RunLost("its process died"))
    await until(lambda: ("end", "m1") in hall.screen)
    await until(lambda: hall.bench.jobs.get(0, (0, answer))[1] is not answer)
    row = await Work.objects.aget()
    assert (row.state, row.match, row.faults, row.token) == ("out", "", 1, 2)
    await hall.desk.close()
    assert await sync_to_async(rows.told)() == []


class Damaged(Hall):
    """What it should end has a log that cannot be read."""

    async def end(self, match: str) -> None:
        await super().end(match)
        raise DamagedLog("the packed log of match m1 cannot be read")


async def test_a_match_that_cannot_be_ended_keeps_nothing_else_from_being_played(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await submitted("a", "b")
    await Work.objects.filter(key="a").aupdate(match="m1")
    hall = Damaged()
    await hall.begun()
    assert hall.screen == [("end", "m1")] and "match m1, which a lost run has left open" in caplog.text
    assert [row.key async for row in Work.objects.filter(state="out")] == ["b"]
    await hall.desk.close()


async def test_what_storage_cannot_take_now_is_stored_later_and_what_cannot_be_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forwarding, "AGAIN_S", 0.0)
    await submitted("a")
    await Work.objects.aupdate(watched=True)
    hall = Hall()
    hall.answers = [OperationalError("locked")]
    answer = await hall.begun()
    hall.bench.tell(part(0, 1))
    await until(lambda: hall.stored == [("", [1])])
    hall.answers = [AnswerRefused("no such move")]
    hall.bench.tell(part(1, 2))
    await until(lambda: not hall.answers)
    answer.set_result("all of it")
    await asked_until(Work.objects.filter(state="done").acount, bool)
    assert hall.stored == [("", [1]), ("m1", "all of it")], "its answer says the same, and is judged"
    await hall.desk.close()


async def test_who_stops_in_the_middle_leaves_the_match_to_the_next_one() -> None:
    await submitted("a")
    await Work.objects.aupdate(watched=True)
    hall = Hall()
    await hall.begun()
    hall.bench.tell(part(0, 1))
    await until(lambda: bool(hall.screen))
    await hall.desk.close()
    assert await sync_to_async(rows.told)() == ["m1"]
    other = Hall()
    await other.begun()
    assert other.screen == [("end", "m1")] and await sync_to_async(rows.told)() == []
    await other.desk.close()
