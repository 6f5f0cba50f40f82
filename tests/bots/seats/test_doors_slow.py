"""Strangers who take their time, and too many of them: nobody else waits for a place because of them. And this process
takes its time: who came first is first all the same."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from contextlib import AsyncExitStack

import pytest
from asgiref.sync import sync_to_async

from arena.bots.seats import doors, unseated
from arena.bots.seats.choices import Opener
from arena.bots.session import tokens
from arena.host import Host
from arena.protocols.droidcon.adapter import Droidcon
from tests.bots.conftest import Opens
from tests.bots.placing import FIAR, FIELDS, RANDOM, port
from tests.kit.clients import Droidcon as Bot
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.registered import own_ports, register
from tests.kit.until import until


async def test_who_says_its_name_letter_by_letter_for_ever_is_sent_away(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each letter is in time, the whole is not."""
    monkeypatch.setattr(Droidcon, "ready_s", 0.5)
    port = await opened("droidcon")
    async with Wire.to(port) as slow:
        ended = asyncio.create_task(slow.rest())
        async with asyncio.timeout(DEADLINE_S):
            while not ended.done():
                await asyncio.gather(slow.send_bytes(b"N"), return_exceptions=True)
                await asyncio.wait([ended], timeout=0.05)
        assert await ended == []
    await until(lambda: not host.doors["droidcon"]._sessions)


async def test_who_has_asked_in_time_is_not_sent_away_because_we_are_slow(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that reads and writes rows has other work for longer than a handshake may take."""
    monkeypatch.setattr(Droidcon, "ready_s", 0.2)
    port, free = await opened("droidcon"), threading.Event()
    busy = asyncio.create_task(sync_to_async(free.wait)(DEADLINE_S))
    with socket.create_connection(("127.0.0.1", port)) as early:
        early.sendall(b"NAME ada\nJOIN otter-42\n")  # before the loop knows of it
        bot = Wire(*await asyncio.open_connection(sock=early))
        await bot.until("SUCCESS")
        for _ in range(3):  # each is sent away when its own time is over
            async with Wire.to(port) as silent:
                assert await silent.rest() == []
        free.set()
        await bot.until("SUCCESS")
        assert await busy and [room.plan.code for room in host.lobby.open_rooms()] == ["otter-42"]
        await bot.close()


async def test_so_many_may_be_without_a_seat_at_once_and_one_more_is_sent_away(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unseated, "MOST_UNSEATED", 3)
    port = await opened("droidcon")
    async with AsyncExitStack() as stack:
        three = [await stack.enter_async_context(Bot.to(port)) for _ in range(3)]
        await until(lambda: len(host.doors["droidcon"]._sessions) == 3)
        async with Wire.to(port) as fourth:
            assert [words[:23] for words in await fourth.rest()] == ["SEAT REFUSED too_many: "]
        for number, bot in enumerate(three):
            await bot.enter(f"b{number}", f"room-{number}")
        await (await stack.enter_async_context(Bot.to(port))).enter("late", "room-9")


async def test_who_connects_first_begins_also_if_this_process_loses_its_core(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Just when it has looked at the clock for the first of two who came together."""
    address = ("127.0.0.1", await opened("fiar"))
    loop = asyncio.get_running_loop()
    clock, looks = loop.time, list[float]()

    def pausing() -> float:
        now = clock()
        if sys._getframe(1).f_globals["__name__"] == doors.__name__:
            looks.append(now)
            time.sleep(0.1 * (len(looks) == 3))  # both have connected
        return now

    monkeypatch.setattr(loop, "time", pausing)
    # The kernel has both before the loop accepts one.
    with socket.create_connection(address) as first, socket.create_connection(address) as second:
        first.setblocking(False)
        second.setblocking(False)
        heard = [asyncio.ensure_future(loop.sock_recv(each, 100)) for each in (first, second)]
        await asyncio.wait(heard, return_when=asyncio.FIRST_COMPLETED)
        assert [each.done() for each in heard] == [True, False]
        await loop.sock_sendall(first, b"4\n")
        assert all(await asyncio.gather(*heard)), "the other one is asked as well"
    assert len(looks) >= 3
    await until(lambda: not host.hub.running())


async def test_a_door_may_close_in_the_turn_in_which_a_connection_is_offered(
    host: Host, opened: Opens, caplog: pytest.LogCaptureFixture
) -> None:
    closing, loop = list[asyncio.Task[None]](), asyncio.get_running_loop()

    def close() -> None:
        closing.append(loop.create_task(door.close()))
        time.sleep(0.05)  # when it closes, it is time to offer

    async with Wire.to(await opened("fiar")) as bot:
        door = host.doors["fiar"]
        await until(lambda: door._meetings)
        [connected] = door._sessions.values()
        loop.call_at(connected + doors.OFFERED_AFTER_S - 0.02, close)
        assert await bot.rest() == []
        await closing[0]
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


async def test_nobody_waits_when_the_server_stops_for_those_who_do_not_close(
    host: Host, opened: Opens, ada: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old bots loop at the end of their input. One door after the other took longer than a stop may take."""
    for of in ("arena.transports.tcp", "arena.bots.seats.doors"):
        monkeypatch.setattr(f"{of}.CLOSE_S", 4 * DEADLINE_S)
    ports = [await opened("gamestate"), await opened("nyu-nim"), *own_ports(2)]
    for name, number in zip(("gravity-9", "sparrow"), ports[2:], strict=True):
        bot, _ = await register(name, "fiar")
        await tokens.give_port(bot, number)
    assert host.personal is not None
    attended = [*host.doors.values(), *host.personal.doors.values()]
    for _ in range(2):
        ports.append(port(host, await host.room_maker.open_room(FIELDS, (FIAR, RANDOM), ada), 0))
    async with AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(Wire.to(number)) for number in ports]
        await until(lambda: all(door._sessions for door in attended))
        assert await bots[-2].line() and await bots[-1].line()
        stopping = asyncio.ensure_future(host.stop())
        for wire in bots:
            await wire.rest()
    await stopping
