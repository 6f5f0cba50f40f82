"""Hosts that stop and start again on one database, to test what happens to matches meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from arena.bots.seats import doors
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup
from arena.models import Event, Player
from arena.rooms.room import LiveRoom
from tests.kit.hosting import serving

CONNECT_FOUR = {"variant": "connect-four-7x6"}
ADA, BOB = SeatSetup("Ada", player=1), SeatSetup("Bob", player=2)

Restarts = Callable[[], Awaitable[Host]]


@asynccontextmanager
async def restarting(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Restarts]:
    """Stops the host if there is one, and starts the next."""
    monkeypatch.setattr(doors, "OFFERED_AFTER_S", 0.02)
    for number, person in enumerate((ADA, BOB), start=1):
        await Player.objects.acreate(pk=number, kind="guest", name=person.name, slug=person.name)
    async with AsyncExitStack() as stack:

        async def again() -> Host:
            await stack.aclose()
            return await stack.enter_async_context(serving())

        yield again


async def two_people(host: Host, code: str = "otter-42", **fields: object) -> LiveMatch:
    room = await host.lobby.open(code, {**CONNECT_FOUR, **fields})
    host.lobby.sit_down(room, ADA)
    host.lobby.sit_down(room, BOB)
    await room.begin()
    return live_in(room)


def live_in(room: LiveRoom) -> LiveMatch:
    assert room.live is not None
    return room.live


def same(host: Host, before: LiveMatch) -> LiveMatch:
    """The match as this host has it."""
    live = host.hub.get(before.id)
    assert live is not None
    return live


async def kinds(live: LiveMatch) -> list[str]:
    return [event.kind async for event in Event.objects.filter(match=live.id).order_by("seq")]


async def door(host: Host, slug: str) -> int:
    return (await host.open_doors("127.0.0.1", {slug: 0}, []))[slug]
