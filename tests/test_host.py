from __future__ import annotations

import asyncio
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path

import pytest

from arena import host as hosting
from arena.host import Host, NoHost, NotTheHost
from arena.ledger import Ledger
from arena.match.state import SeatSetup, Setup
from arena.models import Event
from tests.bots.clients import Wire

ROOT = Path(__file__).parent.parent
# Takes the lock, says so, and keeps it until its input ends.
HOLDER = """
import django, pathlib, sys
django.setup()
from arena.host import take_lock
lock = take_lock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


async def test_pages_find_the_host_while_there_is_one(host: Host) -> None:
    assert hosting.here() is host
    await host.stop()
    with pytest.raises(NoHost, match=r"start it with manage\.py serve"):
        hosting.here()
    await host.stop()


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
        await hosting.start(None, lambda error: None)
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


def test_only_one_process_has_the_lock_and_the_other_is_told_whose_it_is(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(NotTheHost) as why:
            hosting.take_lock(tmp_path)
        assert str(why.value) == (
            f"another server (process {holder.pid}) already uses the data in {tmp_path}: "
            "stop it, or set ARENA_DATA elsewhere"
        )
        holder.kill()
        holder.wait()
        hosting.take_lock(tmp_path).close()


def test_the_lock_is_free_again_when_it_is_closed(tmp_path: Path) -> None:
    hosting.take_lock(tmp_path).close()
    hosting.take_lock(tmp_path).close()


def test_networks_are_read() -> None:
    assert hosting.networks(["192.168.7.0/24", "2001:db8::/32"]) == [
        ip_network("192.168.7.0/24"),
        ip_network("2001:db8::/32"),
    ]
