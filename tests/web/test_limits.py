"""What one address may ask of the pages."""

from __future__ import annotations

import time

import pytest
from django.http import HttpRequest
from django.test import RequestFactory

from arena.host import Host
from arena.web.limits import Limit, TooMany
from tests.kit.browsing import far_away, text


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


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
    with pytest.raises(
        TooMany, match="Too many new rooms from here: 2 at once, then one every 40 s. Try again in 40 s."
    ) as said:
        limit.check(of("192.0.2.1"))
    assert said.value.retry_s == 40
    assert not refused(limit, "192.0.2.2")
    clock[0] += 40
    assert not refused(limit, "192.0.2.1")


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "192.168.7.9"])
def test_loopback_and_a_classroom_are_not_counted(address: str, settings: object) -> None:
    settings.ARENA_TRUSTED_NETS = ["192.168.7.0/24"]  # type: ignore[attr-defined]
    limit = Limit("new rooms", 1, 0.001)
    assert not any(refused(limit, address) for _ in range(10))


async def test_a_flood_of_new_accounts_is_answered_429_in_words(host: Host) -> None:
    """A class may sign up in one minute."""
    person = far_away()
    answers = [await person.post("/signup/", name="") for _ in range(42)]
    assert [answer.status_code for answer in answers[:40]] == [422] * 40
    assert answers[-1].status_code == 429
    assert "Too many new accounts from here: 40 at once, then one every 60 s. Try again in" in text(answers[-1])
    assert "puts it into ARENA_TRUSTED_NETS." in text(answers[-1])
    await person.post("/settings/one/", language="de")
    assert "Zu viele neue Konten von hier: 40 auf einmal, dann" in text(await person.post("/signup/", name=""))
    assert int(answers[-1]["Retry-After"]) > 0
