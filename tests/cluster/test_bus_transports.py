"""What carries the bus: how a transport says that nobody listens, and that there will be nothing more."""

from __future__ import annotations

import asyncio
import socket

import pytest

from arena.cluster import bus_transports
from arena.cluster.bus_transports import RedisTransport, SocketTransport
from tests.kit.deadline import DEADLINE_S

LONG = "é" * 1_000_000


async def test_a_text_of_any_length_arrives_whole() -> None:
    one, other = (SocketTransport(end) for end in socket.socketpair())
    heard: asyncio.Queue[str] = asyncio.Queue()
    begun = asyncio.Event()
    listening = [
        asyncio.ensure_future(one.listen("one", begun.set, heard.put_nowait)),
        asyncio.ensure_future(other.listen("other", lambda: None, heard.put_nowait)),
    ]
    async with asyncio.timeout(DEADLINE_S):
        await begun.wait()
        assert await one.publish("other", LONG)
        assert await one.publish("other", "")
        assert [await heard.get(), await heard.get()] == [LONG, ""]
        await one.close()
        await asyncio.gather(*listening)  # both return: there will be nothing more
    assert not await other.publish("one", "too late")
    await other.close()


async def test_a_peer_that_does_not_read_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus_transports, "CONNECT_S", 0.2)
    one, silent = socket.socketpair()
    transport, begun = SocketTransport(one), asyncio.Event()
    listening = asyncio.ensure_future(transport.listen("one", begun.set, print))
    with silent:
        async with asyncio.timeout(DEADLINE_S):
            await begun.wait()
            while await transport.publish("other", LONG):
                pass
            await transport.close()
            await listening


async def test_a_redis_that_is_not_there_is_an_error_that_may_be_tried_again() -> None:
    transport = RedisTransport("redis://127.0.0.1:1/0", "test")
    assert not await transport.publish("other", "text")
    with pytest.raises(OSError, match="Redis"):
        await transport.listen("one", lambda: None, print)
    await transport.close()
