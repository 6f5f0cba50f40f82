from __future__ import annotations

import asyncio
from typing import Any

import pytest

from arena.transports import WRITE_LIMIT, Transport
from arena.transports.websocket import NORMAL, POLICY, WebSocketTransport
from tests.kit.deadline import DEADLINE_S
from tests.kit.recorder import Recorder

Message = dict[str, Any]


class Peer:
    """The other end, as the server of the websocket shows it."""

    def __init__(self, recorder: type[Recorder] = Recorder) -> None:
        self.transport = WebSocketTransport("192.0.2.1:5123")
        self.recorder = recorder(self.transport)
        self.to_us: asyncio.Queue[Message] = asyncio.Queue()
        self.from_us: asyncio.Queue[Message] = asyncio.Queue()
        self.reads = asyncio.Event()
        self.reads.set()
        self.serving = asyncio.ensure_future(self.transport.serve(self.recorder, self.to_us.get, self._send))

    async def _send(self, message: Message) -> None:
        await self.reads.wait()
        self.from_us.put_nowait(message)
        if message["type"] == "websocket.close":
            self.leave()

    def say(self, text: str) -> None:
        self.to_us.put_nowait({"type": "websocket.receive", "text": text})

    def leave(self) -> None:
        self.to_us.put_nowait({"type": "websocket.disconnect", "code": 1000})

    async def hears(self) -> Message:
        async with asyncio.timeout(DEADLINE_S):
            return await self.from_us.get()


async def test_each_message_is_a_line_both_ways() -> None:
    peer = Peer()
    typed: Transport = peer.transport
    assert typed.peer == "192.0.2.1:5123"
    peer.say('{"a":\n1}')
    peer.to_us.put_nowait({"type": "websocket.receive", "bytes": b"{}"})
    await peer.recorder.until_data(b'{"a": 1}\n{}\n')
    typed.write(b'{"b":1}\n{"c"')
    typed.write(b":2}\n")
    assert [(await peer.hears())["text"] for _ in range(2)] == ['{"b":1}', '{"c":2}']
    peer.leave()
    await peer.serving
    assert peer.recorder.lost == "the peer has closed"


async def test_a_close_delivers_what_was_written() -> None:
    peer = Peer()
    peer.transport.write(b"{}\n")
    peer.transport.close()
    peer.transport.write(b"[]\n")
    assert (await peer.hears())["text"] == "{}"
    closed = await peer.hears()
    assert (closed["code"], peer.transport.is_closing) == (NORMAL, True)
    await peer.serving
    assert peer.recorder.lost == "closed"


async def test_who_does_not_read_is_dropped() -> None:
    peer = Peer()
    peer.reads.clear()
    peer.transport.write(b"x" * (WRITE_LIMIT + 1) + b"\n")
    assert peer.transport.is_closing
    peer.reads.set()
    messages = [await peer.hears()]
    while messages[-1]["type"] != "websocket.close":
        messages.append(await peer.hears())
    assert messages[-1]["code"] == POLICY
    await peer.serving
    assert "does not read" in (peer.recorder.lost or "")


async def test_a_receiver_that_fails_costs_its_own_connection_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Recorder):
        def data_received(self, data: bytes, stamp: float) -> None:
            raise RuntimeError("a fault of ours")

    peer = Peer(Failing)
    peer.say("{}")
    assert (await peer.hears())["code"] == POLICY
    await peer.serving
    assert peer.recorder.lost == "aborted" and "a fault of ours" in caplog.text


async def test_while_reading_is_paused_nothing_comes() -> None:
    peer = Peer()
    peer.transport.pause_reading()
    peer.say("{}")
    peer.say("[]")
    await asyncio.sleep(0.05)
    assert peer.recorder.data == b""
    peer.transport.resume_reading()
    await peer.recorder.until_data(b"{}\n[]\n")
    peer.transport.abort()
    await peer.serving
    assert peer.recorder.lost == "aborted"


async def test_who_is_cancelled_twice_has_lost_its_connection_all_the_same() -> None:
    peer = Peer()
    peer.say("{}")
    await peer.recorder.until_data(b"{}\n")
    peer.serving.cancel()
    await asyncio.sleep(0)  # it has begun to end
    peer.serving.cancel()
    await asyncio.gather(peer.serving, return_exceptions=True)
    assert peer.recorder.lost == "the peer has closed"
