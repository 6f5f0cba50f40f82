"""A websocket of a bot as a transport: each message is one line, both ways. Its server is not asyncio's: bytes come in
through `receive` and go out, bounded, through `serve`, which the application awaits.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from arena.transports import CLOSE_S, WRITE_LIMIT, Receiver

log = logging.getLogger(__name__)

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]

NORMAL, POLICY = 1000, 1008


class WebSocketTransport:
    """One accepted websocket. `serve` carries messages until it is over."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self._receiver: Receiver
        self._lines: deque[str] = deque()
        self._waiting = 0
        self._begun = b""
        self._woken = asyncio.Event()
        self._may_read = asyncio.Event()
        self._may_read.set()
        self.is_closing = self._aborted = False
        self._reason = ""

    @property
    def is_unread(self) -> bool:
        return False

    def write(self, data: bytes) -> None:
        """Whole lines become messages, what is left of one waits for its end."""
        if self.is_closing:
            return
        *lines, self._begun = (self._begun + data).split(b"\n")
        self._lines.extend(line.decode() for line in lines)
        self._waiting += sum(map(len, lines))
        if self._waiting > WRITE_LIMIT:
            self._drop(f"the peer does not read: {self._waiting} bytes wait unsent")
        self._woken.set()

    def close(self) -> None:
        self._end("closed")

    def abort(self) -> None:
        self._drop("aborted")

    def pause_reading(self) -> None:
        self._may_read.clear()

    def resume_reading(self) -> None:
        self._may_read.set()

    def _drop(self, reason: str) -> None:
        self._aborted = True
        self._lines.clear()
        self._end(reason)

    def _end(self, reason: str) -> None:
        self.is_closing = True
        self._reason = self._reason or reason
        self._woken.set()
        self._may_read.set()

    # -- carried by the application ------------------------------------------------------------------------------------

    async def serve(self, receiver: Receiver, receive: Receive, send: Send) -> None:
        """Carry messages both ways until one side ends; `connection_lost` is called at the end, whatever happens."""
        self._receiver = receiver
        reading, writing = asyncio.ensure_future(self._read(receive)), asyncio.ensure_future(self._write(send))
        try:
            await asyncio.wait([reading, writing], return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await self._say_goodbye(reading, send)
        finally:
            self.is_closing = True
            for task in (reading, writing):
                task.cancel()
            try:
                await asyncio.gather(reading, writing, return_exceptions=True)
            finally:  # also if this is cancelled once more
                receiver.connection_lost(self._reason or "the peer has closed")

    async def _read(self, receive: Receive) -> None:
        while True:
            await self._may_read.wait()
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            data = text.encode() if text is not None else message.get("bytes") or b""
            if not self.is_closing:
                self._deliver(data)

    def _deliver(self, data: bytes) -> None:
        """A line end inside of a message is white space of its JSON, and ends no line of ours."""
        try:
            self._receiver.data_received(data.replace(b"\n", b" ") + b"\n", time.monotonic())
        except Exception:  # a bug of ours ends only this connection
            log.exception("the receiver of %s failed", self.peer)
            self.abort()

    async def _write(self, send: Send) -> None:
        """Send what waits; returns when nothing is left and this side is closing."""
        while True:
            while self._lines:
                line = self._lines.popleft()
                self._waiting -= len(line)
                await send({"type": "websocket.send", "text": line})
            if self.is_closing:
                return
            self._woken.clear()
            await self._woken.wait()

    async def _say_goodbye(self, reading: asyncio.Future[None], send: Send) -> None:
        """Close, and wait a moment for the other side's answer."""
        code = POLICY if self._aborted else NORMAL
        await send({"type": "websocket.close", "code": code, "reason": self._reason[:100]})
        await asyncio.wait([reading], timeout=CLOSE_S)
