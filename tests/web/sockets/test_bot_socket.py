"""Bots that speak `native` over a websocket, with a real client on a real server, and at the application itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import connection

from arena.bots.seats.choices import SideChoice
from arena.bots.session import tokens
from arena.core import storage_watch
from arena.core.storage_trouble import NOT_OPEN
from arena.host import Host
from arena.match.state import SeatSetup
from arena.routing import websockets
from arena.web.open_sockets import AGAIN
from arena.web.sockets.bot_socket import UNKNOWN
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.registered import register
from tests.kit.until import until


class Bot:
    """One websocket."""

    def __init__(self, communicator: WebsocketCommunicator) -> None:
        self._communicator = communicator

    async def say(self, type: str, **keys: Any) -> None:
        await self._communicator.send_input({"type": "websocket.receive", "text": json.dumps({"type": type, **keys})})

    async def hears(self, type: str) -> dict[str, Any]:
        """The next message of this type."""
        while True:
            message = await self._communicator.receive_output(DEADLINE_S)
            assert message["type"] == "websocket.send", message
            said: dict[str, Any] = json.loads(message["text"])
            if said["type"] == type:
                return said

    async def closed(self) -> tuple[int, str]:
        """The code and the reason of the close."""
        while (message := await self._communicator.receive_output(DEADLINE_S))["type"] != "websocket.close":
            pass
        return message["code"], message["reason"]


@asynccontextmanager
async def opened(authorization: str | None) -> AsyncIterator[Bot]:
    headers = [(b"host", b"testserver")]
    if authorization is not None:
        headers.append((b"authorization", authorization.encode()))
    communicator = WebsocketCommunicator(websockets, "/ws/native/", headers=headers)
    accepted, _ = await communicator.connect(timeout=DEADLINE_S)
    assert accepted
    try:
        yield Bot(communicator)
    finally:
        await communicator.disconnect(timeout=DEADLINE_S)


async def test_a_registered_bot_plays_a_match_over_a_websocket(host: Host) -> None:
    bot, token = await register("gravity-9", "native")
    room = await host.room_maker.open_room(
        {"variant": "connect-four-7x6", "clock": "5s"},
        (SideChoice("anyone"), SideChoice("builtin", level="random")),
        None,
    )
    async with opened(f"Bearer {token}") as wire:
        await wire.say("hello", name="somebody-else")
        await wire.say("join", room=room.plan.code)
        seat = await wire.hears("seat")
        assert seat["seat"] == 0 and host.seat_ports.online(bot.pk)
        live = room.live
        assert live is not None
        while not live.over:
            turn = await wire.hears("turn")
            await wire.say("move", ply=turn["ply"], move=turn["legal"][0])
            await until(lambda ply=turn["ply"]: live.over or live.state.position.ply > ply)  # type: ignore[misc]
        assert (await wire.hears("end"))["last"] is True
        assert (await wire.closed())[0] == 1000
    assert room.live is not None
    first = room.live.state.setup.seats[0]
    assert (first.name, first.player, first.verified, room.live.state.termination) == (
        "gravity-9",
        bot.pk,
        True,
        "normal",
    )
    await until(lambda: not host.seat_ports.online(bot.pk))


async def test_a_bot_on_a_websocket_is_called_to_a_place_that_is_kept_for_it(host: Host) -> None:
    bot, token = await register("gravity-9", "native")
    async with opened(f"Bearer {token}") as wire:
        await wire.say("hello", name="gravity-9")
        await wire.hears("welcome")
        room = await host.room_maker.open_room(
            {"variant": "santorini-5x5", "clock": "1m"},
            (SideChoice("bot", player=bot.pk), SideChoice("builtin", level="random")),
            None,
        )
        assert (await wire.hears("seat"))["opponent"].endswith("(built in)")
    assert room.sides[0] is not None


async def test_a_seat_token_is_good_here_as_well(host: Host) -> None:
    room = await host.room_maker.open_room(
        {"variant": "santorini-5x5", "clock": "1m"},
        (SideChoice("socket", protocol="native"), SideChoice("anyone")),
        None,
    )
    waiting = host.seat_ports.port_of(room.plan.code, 0)
    assert waiting is not None
    async with opened(f"bearer {waiting.token}") as wire:
        await wire.say("hello", name="ada")
        await wire.hears("welcome")
        await until(lambda: room.sides[0] is not None)
        host.lobby.sit_down(room, SeatSetup("Teal Heron"))
        assert (await wire.hears("start"))["variant"] == "santorini-5x5"


async def test_a_seat_is_given_back_to_its_token_alone(host: Host) -> None:
    fields = {"variant": "connect-four-7x6", "clock": "1m", "private": True}
    sides = (SideChoice("socket", protocol="native"), SideChoice("builtin", level="random"))
    room = await host.room_maker.open_room(fields, sides, None)
    waiting = host.seat_ports.port_of(room.plan.code, 0)
    assert waiting is not None
    async with opened(f"Bearer {waiting.token}") as wire:
        await wire.say("hello", name="alpha")
        turn = await wire.hears("turn")
    await until(lambda: room.sides.is_away(0))
    _, token = await register("sparrow", "native")
    async with opened(f"Bearer {token}") as other:
        await other.say("hello", name="alpha")
        await other.say("join", room=room.plan.code)
        assert (await other.hears("refused"))["code"] == "channel_is_full"
    async with opened(f"Bearer {waiting.token}") as wire:
        await wire.say("hello", name="alpha")
        assert (await wire.hears("turn"))["position"] == turn["position"]


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        (None, "no_token"),
        ("Basic YTpi", "no_token"),
        ("Bearer ", "no_token"),
        ("Bearer hello", "unknown_token"),
        ("Bearer arn_" + "a" * 26, "unknown_token"),
    ],
)
async def test_who_proves_nothing_is_closed_with_a_reason(host: Host, authorization: str | None, code: str) -> None:
    async with opened(authorization) as wire:
        number, reason = await wire.closed()
    assert (number, reason.partition(":")[0]) == (UNKNOWN, code)


async def test_a_bot_of_another_protocol_is_told_so(host: Host) -> None:
    _, token = await register("gravity-9", "fiar")
    async with opened(f"Bearer {token}") as wire:
        number, reason = await wire.closed()
    assert number == UNKNOWN and "gravity-9 is registered for fiar" in reason
    assert not host.socket_door("native")._sessions and not host.socket_door("native")._unseated.total


async def test_a_token_that_is_revoked_ends_the_websocket(host: Host) -> None:
    bot, token = await register("gravity-9", "native")
    async with opened(f"Bearer {token}") as wire:
        await wire.say("hello", name="gravity-9")
        await wire.hears("welcome")
        await tokens.revoke(bot)
        assert (await wire.hears("refused"))["code"] == "token_revoked"
        assert (await wire.closed())[0] == 1000


async def test_while_the_server_starts_it_says_so(transactional_db: None) -> None:
    async with opened("Bearer arn_" + "a" * 26) as wire:
        assert (await wire.closed())[0] == AGAIN


async def test_while_the_server_stops_it_says_so(host: Host) -> None:
    """Nobody would end a connection that came in behind the end of all others."""
    port = (await host.open_doors("127.0.0.1", {"fiar": 0}, []))["fiar"]
    _, token = await register("gravity-9", "native")
    async with Wire.to(port) as open_until_the_end:
        await until(lambda: host.doors["fiar"]._sessions)
        stopping = asyncio.ensure_future(host.stop())
        assert await open_until_the_end.rest() == []
        async with opened(f"Bearer {token}") as wire:
            assert (await wire.closed())[0] == AGAIN
    await stopping


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only the file of SQLite can be away for one connection")
async def test_while_nothing_can_be_read_it_says_so(
    host: Host, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    close = sync_to_async(lambda: connection.close())
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", str(tmp_path / "nothing" / "arena.sqlite3"))
        await close()
        async with opened(f"Bearer {tokens.new_token()}") as wire:
            assert await wire.closed() == (AGAIN, f"busy: {NOT_OPEN.words} Try again when this is fixed.")
    await close()
    await until(lambda: storage_watch.trouble() is None)
