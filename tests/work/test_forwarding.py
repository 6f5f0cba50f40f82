"""Slices on their way from a slot to the host: when they are sent, and what becomes of those that cannot be."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from arena.work import forwarding
from arena.work.forwarding import NotNow, SliceForwarder
from tests.kit.until import until


class Sent:
    """What has been sent; `answers` are what the host says, the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.slices: list[Any] = []

    async def send(self, found: Any) -> bool:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        self.slices.append(found)
        return bool(answer)


def part(base: int, *events: int) -> dict[str, Any]:
    return {"match": "m", "base": base, "events": list(events)}


async def test_what_came_before_anybody_watched_is_sent_as_one() -> None:
    sent = Sent(True)
    forwarder = SliceForwarder(sent.send, watched=False)
    forwarder.add(part(0, 1, 2))
    forwarder.add(part(2, 3))
    forwarder.begin()
    await until(lambda: sent.slices)
    forwarder.add(part(3, 4))
    await until(lambda: len(sent.slices) == 2)
    assert sent.slices == [part(0, 1, 2, 3), part(3, 4)]
    await forwarder.close()


async def test_it_waits_for_the_database_and_stops_where_nobody_wants_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "AGAIN_S", 0.0)
    sent = Sent(NotNow("gone"), NotNow("gone"), True, False)
    forwarder = SliceForwarder(sent.send, watched=True)
    for number in (0, 1):
        forwarder.add(part(number, number + 1))
        await until(lambda wanted=number + 1: len(sent.slices) == wanted)  # type: ignore[misc]
    forwarder.add(part(2, 3))
    assert forwarder._sending is not None
    await until(forwarder._sending.done)
    assert sent.slices == [part(0, 1), part(1, 2)]
    await forwarder.close()


async def test_who_closes_it_waits_for_what_is_being_sent_and_nothing_else() -> None:
    arrived, begun = asyncio.Event(), asyncio.Event()

    async def send(found: Any) -> bool:
        begun.set()
        await arrived.wait()
        return True

    forwarder = SliceForwarder(send, watched=True)
    forwarder.add(part(0, 1))
    await begun.wait()
    forwarder.add(part(1, 2))
    closing = asyncio.create_task(forwarder.close())
    begun.clear()
    assert not closing.done()
    arrived.set()
    await closing
    assert not begun.is_set()


async def test_who_closes_it_does_not_wait_for_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "AGAIN_S", 600.0)
    sent = Sent(NotNow("gone"))
    forwarder = SliceForwarder(sent.send, watched=True)
    forwarder.add(part(0, 1))
    await until(lambda: not forwarder._kept or forwarder._news.is_set())
    await forwarder.close()
    assert sent.slices == []
