"""Host and front of one database: who becomes what, and what a front does when its host has gone."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.db.models import F
from django.db.models.functions import Now

from arena.cluster import lease as lease_module
from arena.cluster import roles as roles_module
from arena.cluster.lease import Fence, NotTheHost, RowLease
from arena.cluster.relay import Event
from arena.cluster.roles import Roles, _here, cut_off, front_of
from arena.models import Lease
from tests.cluster.test_front import Client
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Redis
from tests.kit.until import asked_until, until

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]

REQUEST: Event = {"type": "http.request", "body": b"", "more_body": False}


class Process:
    """One serving process: `did` is what it was asked to do as the host, in order."""

    def __init__(self, name: str, redis_url: str) -> None:
        self.did: list[str] = []
        self.stopped: list[int] = []
        self.fence: Fence | None = None
        self.fails: Exception | None = None
        self.cannot_cease = False
        self.hold, self.binding = asyncio.Event(), asyncio.Event()
        self.hold.set()
        self.binding.set()
        self._name = name
        self.roles = Roles(self.application, redis_url, "t", "/static/", self)

    async def application(self, scope: Event, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": self._name.encode()})

    async def bind(self, fence: Fence) -> None:
        self.fence = fence
        self.did.append("bind")
        if self.fails is not None:
            raise self.fails
        await self.binding.wait()

    async def begin(self, first: bool) -> None:
        self.did.append("begin" if first else "take over")
        await self.hold.wait()

    async def cease(self) -> None:
        self.did.append("cease")
        self.roles.lost()  # the log, which takes no more appends, says so
        if self.cannot_cease:
            raise RuntimeError("a door does not close")

    def cut_off(self, is_cut_off: bool) -> None:
        self.did.append("is cut off" if is_cut_off else "is reached")

    def stop(self, code: int) -> None:
        self.stopped.append(code)

    async def get(self) -> bytes:
        client = Client(self.roles, "http", "/", REQUEST)
        await client.task
        return client.body


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row, as on PostgreSQL, and little time between two looks at it."""
    monkeypatch.setattr(roles_module, "lease_of_host", RowLease)
    monkeypatch.setattr(roles_module, "RENEW_S", 0.1)
    monkeypatch.setattr(RowLease, "every_s", 0.1)
    monkeypatch.setattr(roles_module, "FIRST_WAIT_S", 0.2)
    monkeypatch.setattr(lease_module, "PATIENCE_S", 0.1)


@pytest.fixture
async def two(redis: Redis) -> AsyncIterator[tuple[Process, Process]]:
    first, second = Process("first", redis.url), Process("second", redis.url)
    await first.roles.start()
    await second.roles.start()
    yield first, second
    await second.roles.close()
    await first.roles.close()


async def test_a_start_that_takes_too_long_says_what_it_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under a clock that jumps, or on a machine that is overloaded."""
    monkeypatch.setattr(roles_module, "BIND_S", 0.05)
    process = Process("slow", "")
    process.binding.clear()
    with pytest.raises(TimeoutError, match=r"^The ports could not be bound within 0\.05 s: .* Start again when"):
        await process.roles.start()
    await process.roles.close()


async def test_the_second_is_a_front_and_answers_with_what_the_first_says(two: tuple[Process, Process]) -> None:
    first, second = two
    assert (first.did, second.did) == (["bind", "begin"], [])
    assert await first.get() == await second.get() == b"first"
    assert first.roles.bus is not None and front_of() == first.roles.bus.name


async def test_a_host_that_stops_hands_over_under_a_higher_number(two: tuple[Process, Process]) -> None:
    first, second = two
    await first.roles.close()
    await until(lambda: second.did == ["bind", "take over"] and second.roles.front is None)
    assert await second.get() == b"second"
    assert front_of() is None
    assert first.fence is not None and second.fence is not None and first.fence.epoch < second.fence.epoch


async def test_who_has_lost_the_lease_ceases_at_once_and_is_a_front(two: tuple[Process, Process]) -> None:
    first, second = two
    await sync_to_async(Lease.objects.update)(holder="a third", expires=Now() + timedelta(hours=1))
    await until(lambda: first.did[2:] == ["cease"] and first.roles.front is not None)
    assert (first.stopped, second.stopped, second.did) == ([], [], [])
    await sync_to_async(Lease.objects.update)(expires=Now() - timedelta(seconds=1))
    await until(lambda: first.roles.front is None or second.roles.front is None)
    again, front = (first, second) if first.roles.front is None else (second, first)
    await until(lambda: bool(front.roles.front and again.roles.bus and front.roles.front.host == again.roles.bus.name))
    assert await first.get() == await second.get(), "one of them is the host again"


async def test_who_has_lost_the_lease_and_cannot_cease_stops(two: tuple[Process, Process]) -> None:
    first, second = two
    first.cannot_cease = True
    await sync_to_async(Lease.objects.update)(holder="a third", expires=Now() + timedelta(hours=1))
    await until(lambda: first.stopped == [1])
    assert (first.did[2:], second.stopped) == (["cease"], [])


async def test_without_redis_there_is_no_second_one_and_who_has_lost_the_lease_stops() -> None:
    first, second = Process("first", ""), Process("second", "")
    await first.roles.start()
    with pytest.raises(NotTheHost, match="REDIS_URL"):
        await second.roles.start()
    await sync_to_async(Lease.objects.update)(holder="a third", epoch=F("epoch") + 1)
    await until(lambda: first.stopped == [1])
    assert first.did == ["bind", "begin", "cease"]
    await first.roles.close()
    await second.roles.close()


async def test_a_command_that_stores_a_match_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lease_module, "PATIENCE_S", DEADLINE_S)
    caplog.set_level("INFO")
    command, process = RowLease("a command"), Process("first", "")
    assert await sync_to_async(command.take)()
    starting = asyncio.create_task(process.roles.start(patient=True))
    await until(lambda: "waiting for another process to give the lease back" in caplog.text)
    await sync_to_async(command.release)()
    await starting
    assert process.did == ["bind", "begin"]
    await process.roles.close()


async def test_whoever_finds_out_that_the_lease_is_lost_is_believed_once(two: tuple[Process, Process]) -> None:
    first, _ = two
    first.roles.lost()
    first.roles.lost()
    assert first.roles.front is None, "it has not come to that yet"
    await until(lambda: first.roles.front is not None)
    assert first.did == ["bind", "begin", "cease"]


async def test_a_front_that_cannot_bind_gives_the_lease_back_says_which_port_and_tries_again(
    two: tuple[Process, Process], redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = two
    second.fails = OSError("Cannot listen on 127.0.0.1:4242 for droidcon: Address already in use.")
    await first.roles.close()
    await until(lambda: second.did.count("bind") >= 2)
    assert set(second.did) == {"bind", "cease"} and second.stopped == []
    assert second.roles.front is not None
    third = Process("third", redis.url)
    await third.roles.start()
    await until(lambda: third.roles.relay is not None)
    assert await third.get() == b"third", "somebody who can bind is the host"
    await third.roles.close()
    second.fails = None
    await until(lambda: second.roles.relay is not None)
    assert second.did[-2:] == ["bind", "take over"]
    lines = [record.getMessage() for record in caplog.records if "4242" in record.getMessage()]
    assert len(lines) == second.did.count("cease")
    assert "another process is the host" not in caplog.text


async def test_at_the_start_a_port_that_is_taken_ends_the_process_and_the_lease_is_free() -> None:
    first, second = Process("first", ""), Process("second", "")
    first.fails = OSError("Cannot listen")
    with pytest.raises(OSError, match="Cannot listen"):
        await first.roles.start()
    await first.roles.close()
    await second.roles.start()
    await second.roles.close()


async def test_the_lease_is_renewed_while_the_matches_are_still_being_gone_on_with(
    two: tuple[Process, Process],
) -> None:
    first, second = two
    second.hold.clear()
    await first.roles.close()
    await until(lambda: "take over" in second.did)
    expires = (await Lease.objects.aget()).expires
    await asked_until(Lease.objects.aget, lambda lease: lease.expires != expires)
    assert second.roles.front is not None, "it says nothing before it has begun"
    second.hold.set()
    await until(lambda: second.roles.front is None)


async def test_who_loses_the_lease_while_taking_over_never_begins(two: tuple[Process, Process]) -> None:
    first, second = two
    second.hold.clear()
    await first.roles.close()
    await until(lambda: "take over" in second.did)
    await sync_to_async(Lease.objects.update)(holder="a third", expires=Now() + timedelta(hours=1))
    await until(lambda: second.did[-1] == "cease")
    assert second.roles.relay is None and second.roles.front is not None


async def test_who_loses_the_lease_at_its_start_is_a_front_that_may_take_over(redis: Redis) -> None:
    """It answered nothing and ended by nothing."""
    process = Process("first", redis.url)
    process.hold.clear()
    starting = asyncio.ensure_future(process.roles.start())
    await until(lambda: process.did == ["bind", "begin"])
    await sync_to_async(Lease.objects.update)(holder="a third", expires=Now() + timedelta(hours=1))
    async with asyncio.timeout(DEADLINE_S):
        await starting
    await until(lambda: process.did[2:] == ["cease"])
    assert process.roles.front is not None and process.stopped == []
    process.hold.set()
    await sync_to_async(Lease.objects.update)(expires=Now() - timedelta(seconds=1))
    await until(lambda: process.did[3:] == ["bind", "take over"] and process.roles.front is None)
    await process.roles.close()


async def test_a_host_that_cannot_renew_says_so_goes_on_and_is_healthy_again(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = two
    _here[:] = [first.roles]
    with monkeypatch.context() as away:
        away.setattr(first.roles._lease, "renew", _database_is_away)
        await until(lambda: cut_off() != "")
        assert first.did == ["bind", "begin", "is cut off"]
    await until(lambda: cut_off() == "")
    assert first.did[2:] == ["is cut off", "is reached"]


async def test_a_front_that_was_cut_off_itself_lets_the_old_host_renew_first(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two
    monkeypatch.setattr(first.roles._lease, "renew", _database_is_away)
    with monkeypatch.context() as away:
        away.setattr(second.roles._lease, "take", _database_is_away)
        await until(lambda: second.roles._failing.lasts)
    await sync_to_async(Lease.objects.update)(expires=Now() - timedelta(seconds=1))
    await until(lambda: not second.roles._failing.lasts)
    assert second.roles._not_before > time.monotonic() and second.did == []
    with monkeypatch.context() as away:  # it can be read again, but not written
        away.setattr(second.roles._lease, "cap", _database_is_away)
        before = second.roles._not_before
        await until(lambda: second.roles._not_before > before)
    await until(lambda: not second.roles._failing.lasts)
    second.roles._not_before = 0.0  # six seconds later
    await until(lambda: second.did == ["bind", "take over"])


def _database_is_away() -> bool:
    raise OperationalError("server closed the connection unexpectedly")


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
    assert asking.cancel() == (list(await asyncio.gather(asking, return_exceptions=True)) != [True])
    await roles.close()
