"""Host and front of one database: who becomes what, and what a front does when its host has gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db.models.functions import Now

from arena import roles as roles_module
from arena.host import NotTheHost
from arena.models import Host
from arena.relay import Event
from arena.roles import Roles, front_of
from tests.refereeing import until
from tests.services.processes import Redis
from tests.test_front import Client

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]

REQUEST: Event = {"type": "http.request", "body": b"", "more_body": False}


@pytest.fixture
def redis() -> Iterator[Redis]:
    server = Redis()
    server.start()
    yield server
    server.stop()


class Process:
    """One serving process: `began` says whether it became the host, and whether at its start."""

    def __init__(self, name: str, redis_url: str) -> None:
        self.began: list[bool] = []
        self.stopped: list[int] = []
        self._name = name
        self.roles = Roles(self.application, redis_url, "t", "/static/", self._become_host, self.stopped.append)

    async def application(self, scope: Event, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": self._name.encode()})

    async def _become_host(self, first: bool) -> None:
        self.began.append(first)

    async def get(self) -> bytes:
        client = Client(self.roles, "http", "/", REQUEST)
        await client.task
        return client.body


@pytest.fixture
async def two(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Process, Process]]:
    monkeypatch.setattr(roles_module, "RENEW_S", 0.1)
    first, second = Process("first", redis.url), Process("second", redis.url)
    await first.roles.start()
    await second.roles.start()
    yield first, second
    await second.roles.close()
    await first.roles.close()


async def test_the_second_is_a_front_and_answers_with_what_the_first_says(two: tuple[Process, Process]) -> None:
    first, second = two
    assert (first.began, second.began) == ([True], [])
    assert await first.get() == await second.get() == b"first"
    assert first.roles.bus is not None and front_of() == first.roles.bus.name


async def test_a_host_that_stops_hands_over(two: tuple[Process, Process]) -> None:
    first, second = two
    await first.roles.close()
    await until(lambda: second.began == [False] and second.roles.front is None)
    assert await second.get() == b"second"
    assert front_of() is None


async def test_who_has_lost_the_lease_stops(two: tuple[Process, Process]) -> None:
    first, second = two
    await sync_to_async(Host.objects.update)(holder="a third", expires=Now() + timedelta(hours=1))
    await until(lambda: first.stopped == [1])
    assert second.stopped == []


async def test_without_redis_there_is_no_second_one() -> None:
    first, second = Process("first", ""), Process("second", "")
    await first.roles.start()
    with pytest.raises(NotTheHost, match="REDIS_URL"):
        await second.roles.start()
    await first.roles.close()
    await second.roles.close()


@pytest.mark.parametrize("turns", range(5))
async def test_an_answer_of_the_database_hides_no_cancelling(turns: int) -> None:
    """The keeper that goes on after `close` has cancelled it would keep the process from ending."""
    roles, answered = Process("first", "").roles, threading.Event()
    asking = asyncio.create_task(roles._in_thread(answered.wait))
    await asyncio.sleep(0)
    answered.set()
    roles._thread.submit(int).result()  # the one before has told the loop
    for _ in range(turns):
        await asyncio.sleep(0)
    assert asking.cancel() == (await asyncio.gather(asking, return_exceptions=True) != [True])
    await roles.close()
