"""A program that starts is not silent; one that waits for its input, and has not said a word, is."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.bots.process.child import ChildBot, says_no_name
from arena.protocols.adapter import Adapter
from arena.protocols.fiar.adapter import Fiar
from arena.protocols.santorini_json.adapter import SantoriniJson
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from arena.transports import Transport, stdio
from arena.transports.process import ChildTransport
from arena.transports.reading import reads_input
from tests.bots.sitting import Other
from tests.kit.deadline import DEADLINE_S
from tests.kit.refereeing import moves_of, refereeing
from tests.kit.until import until

PLACES = "read -r game; echo '\"OK\"'; read -r asked; echo '[\"place\",0,0]'; read -r more"


class Ear:
    """Gives an adapter what a program says."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.heard = b""
        self.over = asyncio.Event()

    def data_received(self, data: bytes, stamp: float) -> None:
        self.heard += data
        self.adapter.receive_data(data)

    def eof_received(self) -> None:
        """Its end follows."""

    def connection_lost(self, reason: str) -> None:
        self.over.set()


@asynccontextmanager
async def running(script: str, folder: Path, adapter: Adapter) -> AsyncIterator[tuple[ChildTransport, Ear]]:
    ear = Ear(adapter)

    def make(transport: Transport) -> Ear:
        return ear

    process = await stdio.spawn(["/bin/sh", "-c", script], make, cwd=folder)
    try:
        yield process, ear
    finally:
        process.abort()
        await ear.over.wait()


def until_it_reads(pid: int) -> None:
    """Keeps the loop from reading meanwhile."""
    end = time.monotonic() + DEADLINE_S
    while not reads_input(pid):
        assert time.monotonic() < end


async def test_what_was_written_before_the_wait_is_heard_first(tmp_path: Path) -> None:
    """On a terminal it may still be under way when its writer waits already."""
    for _ in range(10):
        async with running("echo name; read -r line", tmp_path, Fiar()) as (process, ear):
            until_it_reads(process.pid)
            assert not process.waits_for_input() and ear.heard == b"name\n"
            assert process.waits_for_input()


async def test_one_that_waits_for_its_input_says_no_name(tmp_path: Path) -> None:
    adapter = SantoriniJson()
    async with running("read -r line", tmp_path, adapter) as (process, _):
        assert await says_no_name(adapter, process)


async def test_so_does_one_in_javascript(tmp_path: Path) -> None:
    adapter = SantoriniJson()
    async with running("exec node -e 'process.stdin.resume()'", tmp_path, adapter) as (process, _):
        assert await says_no_name(adapter, process)


async def test_one_that_is_starting_may_still_say_its_name(tmp_path: Path) -> None:
    """It sleeps until the test lets it go on, and that is no wait for its input."""
    os.mkfifo(tmp_path / "gate")
    adapter = SantoriniJson()
    script = """cat gate; echo '["join","slow"]'; read -r line"""
    async with running(script, tmp_path, adapter) as (process, ear):
        knows = asyncio.create_task(says_no_name(adapter, process))
        gate = await asyncio.to_thread(os.open, tmp_path / "gate", os.O_WRONLY)
        assert not any(process.waits_for_input() for _ in range(20))
        os.close(gate)
        assert not await knows
        assert ear.heard == b'["join","slow"]\n'


async def test_one_that_ends_before_it_says_a_word_is_not_waited_for(tmp_path: Path) -> None:
    adapter = SantoriniJson()
    async with running("exit 1", tmp_path, adapter) as (process, _):
        assert not await says_no_name(adapter, process)


async def test_where_no_name_is_left_open_nobody_looks(tmp_path: Path) -> None:
    async with running("read -r line", tmp_path, Fiar()) as (process, _):
        assert not await says_no_name(Fiar(), process)


@pytest.mark.parametrize("first", ["", 'echo \'["join","max"]\'; read -r ok; '], ids=["nameless", "registered"])
async def test_a_child_plays_as_soon_as_it_is_known(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time for the handshake, which ends all doubt, is longer than this test may take."""
    monkeypatch.setattr(SantoriniJson, "ready_s", 10 * DEADLINE_S)
    async with refereeing() as referee:
        bot = ChildBot(referee, SantoriniJson, ["/bin/sh", "-c", first + PLACES], "quiet", tmp_path)
        room = LiveRoom(referee, Plan("santorini-6x6", clock="none"))
        room.sit(bot)
        room.sit(Other())
        try:
            await room.begin()
            await until(lambda: room.live is not None and moves_of(room.live) == ["a6"])
        finally:
            await bot.close()
