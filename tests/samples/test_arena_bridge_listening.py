"""A bridge that listens: for bots that connect to a port of their own machine."""

from __future__ import annotations

import asyncio

import pytest

from tests.kit.bridging import Arena, bridge
from tests.kit.ports import free_port
from tests.samples.test_arena_bridge import ECHO, arena, python

__all__ = ["arena"]


@pytest.mark.parametrize("localhost", ["127.0.0.1", "::1"])
async def test_a_bot_that_connects_is_bridged_and_ended(arena: Arena, localhost: str) -> None:
    port = free_port()
    code = (
        f"import socket; s = socket.create_connection(('{localhost}', {port})); s.send(b'hi\\n'); s.recv(9); s.recv(9)"
    )
    async with bridge(arena.port, "--listen", str(port), bot=python(code)) as bridged:
        guest = await arena.guest()
        assert await guest.hears_line() == "hi"
        guest.say(b"3\n")
        guest.close()
        assert await bridged.ends() == 0


async def test_a_bot_that_connects_is_told_what_is_typed_at_the_bridge(arena: Arena) -> None:
    """Some ask at their start how many stones there are, or for a port."""
    code = (
        "import socket; s = socket.create_connection(('localhost', int(input('port? ')))); s.send(b'hi\\n'); s.recv(9)"
    )
    port = free_port()
    async with bridge(arena.port, "--listen", str(port), bot=python(code), typed=f"{port}\n") as bridged:
        guest = await arena.guest()
        assert await guest.hears_line() == "hi"
        guest.close()
        assert await bridged.ends() == 0


@pytest.mark.long
async def test_a_bot_that_somebody_else_starts_may_connect_later(arena: Arena) -> None:
    port = free_port()
    async with bridge(arena.port, "--listen", str(port)) as bridged:
        await bridged.says(f"waiting for the bot on port {port}")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        guest = await arena.guest()
        writer.write(b"NAME ada\n")
        assert await guest.hears_line() == "NAME ada"
        guest.say(b"SUCCESS\n")
        assert await reader.readline() == b"SUCCESS\n"
        writer.close()
        await writer.wait_closed()
        assert await bridged.ends() == 1
    assert "the bot closed its connection or its output before the arena had closed" in bridged.said


async def test_a_bot_that_ends_without_connecting_is_told(arena: Arena) -> None:
    port = free_port()
    async with bridge(arena.port, "--listen", str(port), bot=python("raise SystemExit(7)")) as bridged:
        assert await bridged.ends() == 1
    assert f"the bot ended with exit code 7 and has not connected to port {port}" in bridged.said


async def test_a_port_to_listen_on_that_is_taken_is_named(arena: Arena) -> None:
    async with bridge(arena.port, "--listen", str(arena.port), bot=python(ECHO)) as bridged:
        assert await bridged.ends() == 5
    assert f"port {arena.port} of this machine cannot be listened on: Address already in use" in bridged.said
