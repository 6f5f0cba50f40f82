from __future__ import annotations

import asyncio
from ipaddress import ip_network

import pytest
from asgiref.sync import sync_to_async
from django.db.models import F

from arena import host as hosting
from arena.core.ledger import Ledger
from arena.host import Host, NoHost
from arena.match.commands import Refusal
from arena.match.state import SeatSetup, Setup
from arena.models import Event, Lease
from arena.web.open_sockets import AGAIN
from tests.kit.browsing import two_people
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.refereeing import died
from tests.kit.storage import held
from tests.kit.until import until
from tests.web.sockets.test_consumers import opened


async def test_pages_find_the_host_while_there_is_one(host: Host) -> None:
    assert hosting.here() is host
    await host.stop()
    with pytest.raises(NoHost, match=r"start it with manage\.py serve"):
        hosting.here()
    await host.stop()


async def test_a_page_that_comes_before_the_host_has_begun_comes_again_and_its_player_is_not_missed(host: Host) -> None:
    """A front that takes over answers pages all the time."""
    live, first, second = await two_people(host, clock="5m")
    await host.stop()
    after = hosting.make(await sync_to_async(held)(), died)
    try:
        async with opened(first, f"/ws/m/{live.id}/") as socket, asyncio.timeout(DEADLINE_S):
            assert await socket.code() == AGAIN
        await after.begin()
        continued = after.hub.lives[live.id]
        async with opened(first, f"/ws/m/{live.id}/"), opened(second, f"/ws/m/{live.id}/"):
            await until(lambda: continued.state.phase == "running")
    finally:
        await after.stop()


async def test_doors_open_and_say_their_ports(host: Host) -> None:
    ports = await host.open_doors("127.0.0.1", {"droidcon": 0, "fiar": 0}, [])
    assert set(ports) == {"droidcon", "fiar"} and ports["droidcon"] != ports["fiar"]
    async with Wire.to(ports["droidcon"]) as bot:
        await bot.send("NAME ada")
        assert await bot.line() == "SUCCESS"
        stopping = asyncio.ensure_future(host.stop())
        assert await bot.rest() == []
    await stopping


async def test_a_start_that_fails_leaves_nothing_behind(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(ledger: Ledger) -> list[str]:
        raise OSError("the disk is gone")

    monkeypatch.setattr(Ledger, "open_matches", fails)
    with pytest.raises(OSError, match="the disk is gone"):
        await hosting.start(await sync_to_async(held)(), lambda error: None)
    with pytest.raises(NoHost):
        hosting.here()
    assert len(asyncio.all_tasks()) == 1


async def test_what_is_on_its_way_when_it_stops_is_in_the_log(host: Host, transactional_db: None) -> None:
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob"))))
    starting = asyncio.ensure_future(host.referee.start(live))
    await asyncio.sleep(0)
    await host.stop()
    await starting
    kinds = [event.kind async for event in Event.objects.filter(match=live.id).order_by("seq")]
    assert kinds == ["opened", "started"]


async def test_who_has_lost_the_lease_lets_bots_go_and_says_nothing_of_their_matches(host: Host) -> None:
    ports = await host.open_doors("127.0.0.1", {"droidcon": 0}, [])
    async with Wire.to(ports["droidcon"]) as first, Wire.to(ports["droidcon"]) as second:
        for number, bot in enumerate((first, second)):
            await bot.send(f"NAME b{number}")
            assert await bot.line() == "SUCCESS"
            await bot.send("JOIN lease")
            assert await bot.line() == "SUCCESS"
        await first.until("YOUR_MOVE")
        (live,) = host.hub.running()
        await sync_to_async(Lease.objects.update)(epoch=F("epoch") + 1)
        ceasing = list[asyncio.Task[None]]()
        host.ledger.on_fenced = lambda: ceasing.append(asyncio.ensure_future(host.cease()))
        await first.send("PUT 3")
        said = [*await first.rest(), *await second.rest()]
        assert [line for line in said if line not in ("NEW_GAME", "")] == []
        (one,) = ceasing
        await one
    assert live.state.position.ply == 0
    assert await sync_to_async(Event.objects.filter(match=live.id, kind="move").count)() == 0
    with pytest.raises(NoHost):
        hosting.here()
    with pytest.raises(Refusal) as refused:
        await host.referee.play(live, 0, 1, "4")
    assert refused.value.code == "changing_over"


async def test_a_door_that_is_bound_keeps_who_comes_waiting_until_somebody_attends(host: Host) -> None:
    await host.bind_doors("127.0.0.1", {"droidcon": 0}, [])
    async with Wire.to(host.doors["droidcon"].port) as bot:
        await bot.send("NAME ada")
        with pytest.raises(OSError, match="Cannot listen on"):
            await host.open_doors("127.0.0.1", {"fiar": host.doors["droidcon"].port}, [])
        del host.doors["fiar"]
        await host.attend_doors()
        assert await bot.line() == "SUCCESS"


def test_networks_are_read() -> None:
    assert hosting.networks(["192.168.7.0/24", "2001:db8::/32"]) == [
        ip_network("192.168.7.0/24"),
        ip_network("2001:db8::/32"),
    ]
