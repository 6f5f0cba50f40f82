from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from arena.core.hub import LiveMatch
from arena.core.referee import MOST_IN_A_MAILBOX, Referee
from arena.core.retry import retry
from arena.match.commands import Note, Play, Refusal, Resign
from tests.kit.deadline import DEADLINE_S
from tests.kit.refereeing import moves_of, refereeing, started
from tests.kit.storage import GatedMemory
from tests.kit.until import until


@pytest.fixture
def store() -> GatedMemory:
    return GatedMemory()


@pytest.fixture
async def referee(store: GatedMemory) -> AsyncIterator[Referee]:
    async with refereeing(store) as referee:
        yield referee


async def crowded(referee: Referee, store: GatedMemory) -> tuple[LiveMatch, list[Refusal | None]]:
    """A match whose first move is on its way into slow storage, and whose mailbox is full of nonsense."""
    live = await started(referee, clock="1s")
    answers: list[Refusal | None] = []
    store.gate.shut()
    referee.post(live, Play(0, 1, "4"), answers.append)
    for _ in range(MOST_IN_A_MAILBOX):
        referee.post(live, Play(0, 9, "1"), answers.append)
    return live, answers


async def test_what_is_insisted_on_is_done_when_the_mailbox_has_room_again(
    referee: Referee, store: GatedMemory
) -> None:
    live, answers = await crowded(referee, store)
    asyncio.get_running_loop().call_soon(store.gate.open)
    retry(referee, live, Resign(1))
    await until(lambda: live.over)
    assert live.state.termination == "resign" and live.state.winner == 0
    assert [answer and answer.code for answer in answers] == [None] + ["not_your_turn"] * MOST_IN_A_MAILBOX


async def test_an_act_keeps_its_stamp_however_often_it_is_posted(referee: Referee, store: GatedMemory) -> None:
    live, _ = await crowded(referee, store)
    done: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
    # It was read while the first move was being stored, before its own turn had begun: it costs no time.
    retry(referee, live, Play(1, 2, "3"), time.monotonic(), done.set_result)
    store.gate.open()
    async with asyncio.timeout(DEADLINE_S):
        assert await done is None
    assert moves_of(live) == ["4", "3"]
    assert live.events[-1].elapsed_ms == 0


async def test_any_other_refusal_is_the_answer(referee: Referee) -> None:
    live = await started(referee)
    answers: list[Refusal | None] = []
    retry(referee, live, Play(0, 1, "x"), reply=answers.append)
    await until(lambda: bool(answers))
    assert answers[0] is not None and answers[0].code == "invalid_move"


async def test_what_another_process_came_before_is_decided_again(store: GatedMemory) -> None:
    async with refereeing(store) as here, refereeing(store) as there:
        mine = await started(here)
        theirs = await there.load(mine.id)
        assert theirs is not None
        await there.pause(theirs, "a look at the board")
        retry(here, mine, Resign(1))
        await until(lambda: mine.over)
        assert [event.kind for event in mine.events] == ["opened", "started", "paused", "ended"]


async def test_a_move_for_a_board_that_another_process_has_changed_is_not_played(store: GatedMemory) -> None:
    async with refereeing(store) as here, refereeing(store) as there:
        mine = await started(here)
        theirs = await there.load(mine.id)
        assert theirs is not None
        await there.play(theirs, 0, 1, "4")
        answers: list[Refusal | None] = []
        retry(here, mine, Play(0, 1, "3"), reply=answers.append)
        await until(lambda: bool(answers))
        assert answers[0] is not None and answers[0].code == "stale"
        assert moves_of(mine) == ["4"]


async def test_a_note_is_written_after_the_end(referee: Referee, store: GatedMemory) -> None:
    live = await started(referee)
    store.gate.shut()
    referee.post(live, Resign(1), lambda refusal: None)
    for _ in range(MOST_IN_A_MAILBOX):
        referee.post(live, Play(0, 9, "1"), lambda refusal: None)
    retry(referee, live, Note(0, {"failure": "late"}))
    store.gate.open()
    await until(lambda: live.events[-1].kind == "note")
