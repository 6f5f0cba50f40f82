"""While a server drains nothing new begins; what was held back begins when the order is taken back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import sync_to_async

from arena.figures import present
from arena.host import Host
from arena.match.commands import Refusal
from arena.rooms import draining
from arena.work import looks
from tests.kit.browsing import Person, flowing, two_people
from tests.kit.until import until

order, call_off = sync_to_async(draining.order), sync_to_async(draining.call_off)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "LOOK_S", 0.02)
    monkeypatch.setattr(looks, "EVERY_S", 0.02)


async def test_no_round_begins_until_it_is_called_off(host: Host) -> None:
    over: list[bool] = []
    host.figures.draining.on_over = lambda: over.append(True)
    live, first, second = await two_people(host, rounds="2", clock="1m+1s")
    room = host.lobby.room_of(live)
    assert room is not None
    await order(datetime.now(UTC), "ada")
    await until(lambda: host.lobby.quota.closed != "")
    with pytest.raises(Refusal, match="nothing new begins now"):
        await host.lobby.open_new({"variant": "connect-four-7x6"})
    assert "The arena restarts soon." in flowing(await Person().get("/"))
    assert not over, "the match is played to its end"
    await call_off("ada")
    await until(lambda: host.lobby.quota.closed == "")
    await host.lobby.open_new({"variant": "connect-four-7x6"})


async def test_a_match_without_a_clock_is_not_waited_for_and_the_order_ends_with_the_host(host: Host) -> None:
    over: list[bool] = []
    host.figures.draining.on_over = lambda: over.append(True)
    live, _, _ = await two_people(host)
    await order(datetime.now(UTC), "ada")
    await until(lambda: bool(over))
    assert not live.over and await sync_to_async(draining.ordered)() is None


async def test_everybody_reads_from_when_on_nothing_begins(host: Host) -> None:
    at = datetime.now(UTC) + timedelta(hours=1)
    await order(at, "ada")
    await until(lambda: (now := present()) is not None and now.closes is not None)
    assert f"The arena restarts at {at:%H:%M} UTC." in flowing(await Person().get("/"))
    await host.lobby.open_new({"variant": "connect-four-7x6"})
