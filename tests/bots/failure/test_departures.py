"""Registered bots that come and are gone before their match: people who wait are told, and the owner is told why."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db.models import Q

from arena.bots.failure import departures
from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.session import tokens
from arena.host import Host
from arena.models import Bot
from arena.rooms.room import LiveRoom
from arena.web.present import present
from arena.web.tournaments.entrants import choices
from tests.bots.conftest import Opens
from tests.bots.placing import FIELDS, ME
from tests.kit.browsing import text
from tests.kit.clients import Wire
from tests.kit.registered import own_ports, register
from tests.kit.until import until
from tests.web.markup import words
from tests.web.people.test_accounts import account

pytestmark = pytest.mark.usefixtures("seated_soon")


async def awaited(host: Host, ada: Opener, protocol: str = "fiar") -> tuple[LiveRoom, Bot, str]:
    """A room that waits for a registered bot, and its token."""
    bot, token = await register("gravity-9", protocol)
    return await host.room_maker.open_room(FIELDS, (ME, SideChoice("bot", player=bot.pk)), ada), bot, token


@pytest.mark.parametrize("address", ["door", "port"])
async def test_the_room_and_the_owner_are_told(host: Host, opened: Opens, ada: Opener, address: str) -> None:
    mira = await account("Mira K")
    room, bot, token = await awaited(host, ada)
    bot.owner = await User.objects.aget()
    await bot.asave(update_fields=["owner"])
    told: list[LiveRoom] = []
    room.followers.add(lambda: told.append(room))
    [port] = own_ports(1) if address == "port" else [await opened("fiar")]
    if address == "port":
        await tokens.give_port(bot, port)
    async with Wire.to(port) as wire:
        if address == "door":
            await wire.send(f"SEAT {token}")
            await until(lambda: host.seat_ports.online(bot.pk))
        told.clear()
    await until(lambda: departures.of(bot.pk) is not None)
    gone = departures.of(bot.pk)
    assert gone is not None and gone.card.code == "left_early"
    await until(lambda: room.live is None and room.sides[1] is None and bool(told))
    waiting = words(text(await mira.get(f"/r/{room.plan.code}/")))
    assert f"Waiting for gravity-9, which was here at {gone.at:%H:%M} UTC and left before the match began" in waiting
    page = words(text(await mira.get("/bots/gravity-9/")))
    assert "before a match had begun: the bot has closed it." in page and "What to do: Start it by hand" in page
    assert token not in page and "last seen just now" in page and "never seen" not in page
    listed = words(text(await mira.get("/bots/")))
    assert "gravity-9 last seen just now" in listed and "never seen" not in listed
    choice = (await sync_to_async(choices)("connect-four-7x6", Q(), await present(host), builtin=False))[0]
    assert choice.away == "last seen just now"


async def test_what_it_spoke_is_the_cause(host: Host, opened: Opens, ada: Opener) -> None:
    _, bot, token = await awaited(host, ada, "droidcon")
    async with Wire.to(await opened("droidcon")) as wire:
        await wire.send(f"SEAT {token}")
        await wire.send_bytes(b"GET / HTTP/1.1\r\n\r\n")
        await wire.until("Error INVALID_COMMAND")
    await until(lambda: departures.of(bot.pk) is not None)
    gone = departures.of(bot.pk)
    assert gone is not None and gone.card.code == "web_client"


async def test_once_it_is_back_nothing_is_left_of_it(host: Host, opened: Opens, ada: Opener) -> None:
    room, bot, token = await awaited(host, ada)
    port = await opened("fiar")
    async with Wire.to(port) as wire:
        await wire.send(f"SEAT {token}")
        await until(lambda: host.seat_ports.online(bot.pk))
    await until(lambda: departures.of(bot.pk) is not None)
    async with Wire.to(port) as wire:
        await wire.send(f"SEAT {token}")
        await until(lambda: host.seat_ports.online(bot.pk))
        assert departures.of(bot.pk) is None
