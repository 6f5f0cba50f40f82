"""The tray of a desk: what is stored together, and what nobody has to wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from arena.work import tray
from arena.work.rows import Answered, AnswerRefused, Came, Kind, WorkRun
from arena.work.tray import MOST_AT_ONCE, Tray, stored
from tests.kit.until import until


def run(work: int, kind: str = "together", match: str = "") -> WorkRun:
    return WorkRun(work, kind, f"{kind} {work}", {}, 1, match=match)


def _refuses(run: WorkRun, found: Any, fence: Any) -> bool:
    if found == "?":
        raise AnswerRefused("no such move")
    return True


KINDS = {
    "together": Kind("m:f", lambda run: None, _refuses, store_all=lambda some, fence: [len(some) > 1] * len(some)),
    "alone": Kind("m:f", lambda run: None, _refuses),
}


class Shelf:
    """A tray whose answers are stored when the test says so: `batches` has how many at a time."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.tray = Tray(KINDS, self._store)
        self.fails: Exception | None = None

    async def _store(self, kind: Kind, some: Sequence[Answered]) -> list[Came]:
        self.batches.append([found for _, found in some])
        if self.fails:
            raise self.fails
        return [True for _ in some]

    def put(self, *runs: WorkRun) -> list[asyncio.Task[Came]]:
        return [asyncio.get_running_loop().create_task(self.tray.stored(each, each.work)) for each in runs]


@pytest.fixture(autouse=True)
def nothing_lies_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray, "LIE_S", 3600.0)


async def test_what_lies_there_is_stored_together_when_somebody_may_wait_for_it() -> None:
    shelf = Shelf()
    tasks = shelf.put(run(1), run(2), run(3))
    await asyncio.sleep(0)
    shelf.tray.hurry(unless="together")
    await asyncio.sleep(0)
    assert not shelf.batches
    shelf.tray.hurry(unless="alone")
    assert await asyncio.gather(*tasks) == [True] * 3 and shelf.batches == [[1, 2, 3]]


async def test_nothing_lies_there_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray, "LIE_S", 0.01)
    shelf = Shelf()
    assert await asyncio.gather(*shelf.put(run(1))) == [True]


@pytest.mark.parametrize("first", [run(1, match="m"), run(1, "alone")], ids=["watched", "no store_all"])
async def test_what_is_watched_or_stored_alone_does_not_lie(first: WorkRun) -> None:
    assert await Shelf().tray.stored(first, 1) is True


async def test_a_full_tray_is_emptied_at_once_and_what_is_too_much_lies_on() -> None:
    shelf = Shelf()
    *tasks, last = shelf.put(*map(run, range(MOST_AT_ONCE + 1)))
    await asyncio.sleep(0)
    assert shelf.tray.is_full
    assert await asyncio.gather(*tasks) == [True] * MOST_AT_ONCE
    assert not shelf.tray.is_full and not last.done()
    shelf.tray.hurry()
    assert await last is True and [len(batch) for batch in shelf.batches] == [MOST_AT_ONCE, 1]


async def test_each_kind_is_stored_by_itself_and_one_that_cannot_be_keeps_no_other() -> None:
    shelf = Shelf()
    tasks = shelf.put(run(1), run(2, "alone"))
    shelf.tray.hurry()
    assert await asyncio.gather(*tasks) == [True, True] and shelf.batches == [[1], [2]]
    shelf.fails = RuntimeError("damaged")
    assert await asyncio.gather(*shelf.put(run(3, "alone"))) == [shelf.fails]
    shelf.fails = None
    assert await asyncio.gather(*shelf.put(run(4, "alone"))) == [True]


async def test_what_lies_there_is_stored_when_it_closes() -> None:
    shelf = Shelf()
    (task,) = shelf.put(run(1))
    await asyncio.sleep(0)
    await shelf.tray.close()
    assert await task is True
    await shelf.tray.close()


async def test_a_close_waits_no_longer_than_a_moment_for_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray, "CLOSE_S", 0.01)
    never = asyncio.Event()

    async def store(kind: Kind, some: Sequence[Answered]) -> list[Came]:
        await never.wait()
        return []

    waits = Tray(KINDS, store)
    task = asyncio.get_running_loop().create_task(waits.stored(run(1), 1))
    await until(lambda: waits._storing is not None)
    await waits.close()
    assert not task.done()
    task.cancel()


def test_several_are_stored_together_and_one_by_its_own_way() -> None:
    together, alone = KINDS["together"], KINDS["alone"]
    assert stored(together, [(run(1), 1), (run(2), 2)], None) == [True, True]
    assert stored(together, [(run(1), 1)], None) == [True]
    outcomes = stored(alone, [(run(1, "alone"), "?"), (run(2, "alone"), 1)], None)
    assert isinstance(outcomes[0], AnswerRefused) and outcomes[1] is True
