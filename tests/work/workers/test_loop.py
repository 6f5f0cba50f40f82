"""The worker's loop with jobs of the test's own: what it says to the database, and in which order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from arena.work.engine import LocalEngine
from arena.work.kinds import WorkerKind
from arena.work.workers import loop as loops
from arena.work.workers.about import About
from arena.work.workers.jobs import AskedWrongly, DatabaseAway
from arena.work.workers.loop import Claimed, WorkerLoop
from tests.kit.until import until

ABOUT = About("blade", "linux", 1, 1, "r", "1", 0, ("sleep",))
KINDS = {"sleep": WorkerKind("time:sleep", 600.0)}


class Rows:
    """Both functions of the database, and the queue: `calls` is what was said to them."""

    def __init__(self, job: Any = 0) -> None:
        self.job = job
        self.calls: list[tuple[str, Any]] = []
        self.kept = True
        self.away = 0
        self.more: dict[str, Any] = {}
        self.orders = {"draining": False, "distrusted": ""}
        self.taking = 0
        self.run: asyncio.Task[None] | None = None

    async def ask(self, query: str, **said: Any) -> Any:
        if self.away:
            self.away -= 1
            raise DatabaseAway("gone")
        if "arena_answer" in query:
            self.calls.append(("answer", said["answer"]))
            return self.kept
        if said["work"] is None:
            return self.orders
        if "lacks" in said["said"]:
            self.calls.append(("lacks", said["said"]["lacks"]))
            return {"kept": self.kept, "watched": False}
        self.calls.append(("keep" if said["token"] else "claim", said["work"]))
        if said["token"]:
            return {"kept": self.kept, "watched": False}
        claimed = {"work": said["work"], "kind": "sleep", "key": "k", "job": self.job, "token": 1, "secret": "s"}
        return claimed | self.more

    async def take(self, names: list[str], at_once: int, take: Any) -> None:
        self.taking += 1
        self.run = self.run or asyncio.create_task(take(7))
        try:
            await asyncio.Event().wait()
        finally:
            self.taking -= 1

    async def end(self, grace_s: float) -> None:
        if self.run is not None:
            self.run.cancel()
            await asyncio.gather(self.run, return_exceptions=True)


class Team:
    def __init__(self, rows: Rows, kind: WorkerKind = KINDS["sleep"]) -> None:
        self.rows, self.engine = rows, LocalEngine(1, 0)
        self.loop = WorkerLoop(rows, ABOUT, self.engine, {"sleep": kind}, 0.0)  # type: ignore[arg-type]
        self.running = asyncio.create_task(self.loop.run())

    async def close(self) -> None:
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)
        await self.engine.close()


async def test_it_claims_computes_and_answers() -> None:
    rows = Rows()
    team = Team(rows)
    await until(lambda: len(rows.calls) == 2)
    await team.close()
    assert rows.calls == [("claim", 7), ("answer", '{"answer": null}')]


async def test_a_newer_host_may_say_more_of_a_run_than_is_known_here() -> None:
    rows = Rows()
    rows.more = {"watched": True, "priority": 3}
    team = Team(rows)
    await until(lambda: len(rows.calls) == 2)
    await team.close()
    assert rows.calls[-1] == ("answer", '{"answer": null}')


async def test_a_function_that_fails_is_an_answer_too() -> None:
    rows = Rows("no number")
    team = Team(rows)
    await until(lambda: len(rows.calls) == 2)
    await team.close()
    assert "TypeError" in rows.calls[1][1] and '{"failed": ' in rows.calls[1][1]


async def test_what_its_machine_has_no_room_for_is_given_back_and_the_slot_rests() -> None:
    rows = Rows("/dev/full")
    team = Team(rows, WorkerKind("tests.kit.jobs:write", 600.0))
    await until(lambda: rows.calls[-1:] == [("answer", None)])
    assert team.loop._free == []
    (before,) = [what for said, what in rows.calls if said == "lacks"]
    assert before.startswith("k: OSError: [Errno 28] No space left on device") and rows.calls[-2][0] == "lacks"
    await team.close()
    assert [said for said in rows.calls if said[0] == "answer"] == [("answer", None)]


async def test_who_no_longer_has_the_run_lacks_nothing_and_takes_the_next_at_once() -> None:
    """As when it was cancelled: its host gives such a run no program."""
    rows = Rows("/dev/full")
    rows.kept = False
    team = Team(rows, WorkerKind("tests.kit.jobs:write", 600.0))
    await until(lambda: ("keep", 7) in rows.calls and team.loop._free)
    await team.close()
    assert rows.calls == [("claim", 7), ("keep", 7)]


async def test_a_long_run_is_kept_and_left_when_it_is_anothers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "BEAT_S", 0.02)
    rows = Rows(600)
    team = Team(rows)
    await until(lambda: rows.calls.count(("keep", 7)) > 2)
    rows.away = 2
    await until(lambda: not rows.away)
    rows.kept = False
    (slot,) = team.engine._processes.values()
    await slot.wait()
    await team.close()
    assert not [said for said in rows.calls if said[0] == "answer"]


async def test_who_is_asked_to_end_gives_back_what_runs() -> None:
    rows = Rows(600)
    team = Team(rows)
    await until(lambda: rows.calls == [("claim", 7)])
    await team.close()
    assert rows.calls == [("claim", 7), ("answer", None)]


async def test_a_drained_worker_takes_nothing_until_it_is_let(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "BEAT_S", 0.02)
    rows = Rows()
    rows.orders = {"draining": True, "distrusted": ""}
    team = Team(rows)
    await asyncio.sleep(0)
    assert not rows.taking
    rows.orders = {"draining": False, "distrusted": ""}
    await until(lambda: rows.taking)
    rows.orders = {"draining": False, "distrusted": "it has lied"}
    await until(lambda: not rows.taking)
    await team.close()


async def test_what_a_drained_worker_has_begun_ends_in_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "BEAT_S", 0.02)
    rows = Rows(600)
    team = Team(rows)
    await until(lambda: ("keep", 7) in rows.calls)
    rows.orders = {"draining": True, "distrusted": ""}
    await until(lambda: not rows.taking)
    before = rows.calls.count(("keep", 7))
    await until(lambda: rows.calls.count(("keep", 7)) > before + 2)
    rows.orders = {"draining": False, "distrusted": ""}
    await until(lambda: rows.taking)
    assert not [said for said in rows.calls if said[0] == "answer"]
    await team.close()
    assert rows.calls[-1] == ("answer", None), "who is asked to end gives it back"


async def test_after_a_failure_the_slot_rests_and_longer_after_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others take the next, unless there are none."""
    rests = list[float]()

    async def rest(loop: WorkerLoop, seconds: float) -> None:
        rests.append(seconds)

    monkeypatch.setattr(WorkerLoop, "_rest", rest)
    rows = Rows("no number")
    team = Team(rows)
    for number in range(1, 8):
        await team.loop._take(7)
        assert len(rests) >= number
    rows.job = 0
    await team.loop._take(7)
    await team.close()
    assert rests[:4] == [2.0, 4.0, 8.0, 16.0] and set(rests[4:]) == {30.0} and team.loop._failures == 0


async def test_after_giving_back_the_slots_rest_alike_and_longer_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has fetched nothing while its host was away asks again soon."""
    rests = list[float]()

    async def rest(loop: WorkerLoop, seconds: float) -> None:
        rests.append(seconds)

    monkeypatch.setattr(WorkerLoop, "_rest", rest)
    team = Team(Rows("/dev/full"), WorkerKind("tests.kit.jobs:write", 600.0))
    for expected in (2.0, 4.0, 8.0, 16.0, 30.0, 30.0):
        team.loop._lacks_until = 0.0
        rests.clear()
        for _ in range(2):
            await team.loop._take(7)
        assert max(rests) == pytest.approx(expected) and min(rests) <= expected
    await team.close()


async def test_a_slot_that_rests_keeps_nobody_from_ending() -> None:
    rows = Rows("/dev/full")
    team = Team(rows, WorkerKind("tests.kit.jobs:write", 600.0))
    await until(lambda: rows.calls[-1:] == [("answer", None)])
    assert rows.run is not None and not rows.run.done()
    team.running.cancel()
    await rows.run
    await team.close()


async def test_an_answer_waits_for_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "AGAIN_S", 0.01)
    rows = Rows()
    team = Team(rows)
    run = Claimed(7, "sleep", "k", 0, 1, "s")
    rows.away = 3
    assert await team.loop._answer(run, "{}", 600.0) is True
    await team.close()


async def test_what_the_database_refuses_is_not_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows()
    team = Team(rows)

    async def refuse(query: str, **said: Any) -> Any:
        raise AskedWrongly("too long")

    monkeypatch.setattr(rows, "ask", refuse)
    run = Claimed(7, "sleep", "k", 0, 1, "s")
    assert await team.loop._answer(run, "{}", 600.0) is False
    assert await team.loop._send_slice(run, {}) is False
    await team.close()
