"""Doors of a running host, opened by the tests of what comes in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from arena.bots.seats import doors, seat_finder
from arena.bots.seats.choices import Opener
from arena.bots.seats.doors import Door
from arena.host import Host
from arena.match.state import SeatSetup
from arena.models import Player
from arena.protocols import protocol

Opens = Callable[..., Awaitable[int]]


@pytest.fixture
def opened(host: Host) -> Opens:
    """Opens a door and says its port."""

    async def open_door(slug: str, return_s: float = seat_finder.RETURN_S) -> int:
        door = host.doors[slug] = Door(host.seat_ports, protocol(slug), [], return_s)
        return await door.open("127.0.0.1", 0)

    return open_door


@pytest.fixture
def seated_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "OFFERED_AFTER_S", 0.05)
    monkeypatch.setattr(seat_finder, "SEATED_AFTER_S", 0.05)


@pytest.fixture
async def ada(host: Host) -> Opener:
    player = await Player.objects.acreate(kind="person", name="Ada", slug="ada")
    return Opener(SeatSetup("Ada", player=player.pk, verified=True))
