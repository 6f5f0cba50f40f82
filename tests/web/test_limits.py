"""Token buckets, and what one address may do."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import AsyncClient, RequestFactory

from arena.host import Host
from arena.web import limits
from arena.web.limits import Bucket, Limit, TooMany
from tests.web.browsing import Person, text


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_bucket_gives_what_it_holds_and_no_more(clock: list[float]) -> None:
    bucket = Bucket(3, 1)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]


def test_a_bucket_fills_with_time_and_not_above_its_rim(clock: list[float]) -> None:
    bucket = Bucket(2, 0.5)
    assert bucket.take() and bucket.take() and not bucket.take()
    assert bucket.wait_s() == 2.0
    clock[0] += 2
    assert bucket.take() and not bucket.take()
    clock[0] += 1000
    assert [bucket.take() for _ in range(3)] == [True, True, False]


def of(address: str) -> HttpRequest:
    return RequestFactory().get("/", REMOTE_ADDR=address)


def refused(limit: Limit, address: str) -> bool:
    try:
        limit.check(of(address))
    except TooMany:
        return True
    return False


def test_an_address_that_does_too_much_is_told_when_it_may_again(clock: list[float]) -> None:
    limit = Limit("new rooms", 2, 1 / 40)
    assert not refused(limit, "192.0.2.1") and not refused(limit, "192.0.2.1")
    with pytest.raises(TooMany, match="Too many new rooms from here. Try again in 40 s.") as said:
        limit.check(of("192.0.2.1"))
    assert said.value.retry_s == 40
    assert not refused(limit, "192.0.2.2")
    clock[0] += 40
    assert not refused(limit, "192.0.2.1")


def test_a_holder_of_ipv6_is_one_address() -> None:
    limit = Limit("new rooms", 1, 0.001)
    assert not refused(limit, "2001:db8::1") and refused(limit, "2001:db8::ffff")
    assert not refused(limit, "2001:db8:1::1")


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "192.168.7.9"])
def test_loopback_and_a_classroom_are_not_counted(address: str, settings: object) -> None:
    settings.ARENA_TRUSTED_NETS = ["192.168.7.0/24"]  # type: ignore[attr-defined]
    limit = Limit("new rooms", 1, 0.001)
    assert not any(refused(limit, address) for _ in range(10))


def test_memory_for_addresses_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_ADDRESSES", 10)
    limit = Limit("new rooms", 1, 0.001)
    for number in range(100):
        limit.check(of(f"192.0.2.{number}"))
    assert len(limit._buckets) <= 10


class FarAway(AsyncClient):
    """A browser that is not on this machine."""

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        return {**super()._base_scope(**request), "client": ["192.0.2.77", 0]}


async def test_a_flood_of_new_rooms_is_answered_429_in_words(host: Host) -> None:
    person = Person()
    person.client = FarAway()
    form = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1"}
    answers = [await person.post("/r/new/", **form) for _ in range(8)]
    assert answers[-1].status_code == 429
    assert "Too many new rooms from here. Try again in" in text(answers[-1])
    assert int(answers[-1]["Retry-After"]) > 0
