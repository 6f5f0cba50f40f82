"""One adapter on one transport: converts bytes to events of the bot, and back. It knows no match."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.bots.session.wire import Wire
from arena.play.pump import Pump
from arena.protocols.adapter import Adapter, Closed, Refused, ToBot
from arena.protocols.grammars import is_web_client
from arena.protocols.seat_line import SeatLine, turned_away
from arena.transports import Transport

if TYPE_CHECKING:
    from arena.play.pump import MeaningListener

log = logging.getLogger("arena.bots")


class Connection(Pump):
    """Writes each output of the adapter in one piece.

    With `on_token` the bot may send a SEAT line first, which the adapter never sees: `admit` or `turn_away` answers it.
    While somebody watches, `overheard(received, answered)` gets the bytes of both sides; `on_decided` is called when it
    is known whether the bot shows a token, `on_end` when it has ended its side, `on_close` when its adapter has ours.
    """

    __slots__ = (
        "_on_token",
        "_seat_line",
        "_written",
        "ended",
        "on_close",
        "on_decided",
        "on_end",
        "overheard",
        "transport",
        "wire",
    )

    def __init__(
        self,
        adapter: Adapter,
        transport: Transport,
        listener: MeaningListener,
        on_token: Callable[[str], None] | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(loop, adapter, listener)
        self.transport = transport
        self.wire = Wire()
        self._on_token = on_token
        self._seat_line = SeatLine() if on_token is not None else None
        self.ended = False
        self.overheard: Callable[[bytes, bytes], None] | None = None
        self.on_decided: Callable[[], None] = _nothing
        self.on_end: Callable[[], None] = _nothing
        self.on_close: Callable[[], None] = _nothing
        self._written = 0
        loop.call_soon(self.pump)

    # -- from the transport --------------------------------------------------------------------------------------------

    def data_received(self, data: bytes, stamp: float) -> None:
        self.wire.received(data, stamp)
        if not self.admits(data, stamp):
            return
        is_first = self._seat_line is not None
        if self._seat_line is not None and not (data := self._behind_seat_line(self._seat_line, data)):
            return
        if self.overheard is not None:
            self.overheard(data, b"")
        if is_first and is_web_client(data):
            self._refuse_web_client()
        else:
            self.step(self.adapter.receive_data, data)

    def eof_received(self) -> None:
        self.stamp = time.monotonic()
        if self._seat_line is not None and self._seat_line.token:
            self.ended = True
            return
        self.admit()
        self._end()

    def _end(self) -> None:
        self.ended = True
        self.step(self.adapter.receive_eof)
        self.on_end()

    def _refuse_web_client(self) -> None:
        """A page of any site can have the browsers of its readers send bytes to every port that they reach, behind
        lines of HTTP: a protocol that answers those with an error would take what follows as a bot's.
        """
        slug = self.adapter.slug
        words = f"Received the beginning of HTTP, TLS or SSH; this port is for bots that speak {slug}."
        self.turn_away("not_understood", words)

    def leave(self) -> None:
        """Report the end of its side before the adapter does."""
        self._listener.heard(Closed())

    # -- a token ahead of everything -----------------------------------------------------------------------------------

    @property
    def undecided(self) -> bool:
        """Whether the bot may be in the middle of showing a token."""
        return self._seat_line is not None and self._seat_line.undecided

    def _behind_seat_line(self, seat_line: SeatLine, data: bytes) -> bytes:
        """The part of `data` for the adapter. While a token is checked nothing more is read."""
        passed = seat_line.feed(data)
        if passed is not None:
            self._seat_line = self._on_token = None
            self.on_decided()
            return passed
        if seat_line.token and self._on_token is not None:
            self.transport.pause_reading()
            self._on_token(seat_line.token)
        return b""

    def admit(self) -> None:
        """The token is valid, or none comes: pass what follows to the adapter."""
        seat_line, self._seat_line = self._seat_line, None
        if seat_line is None:
            return
        self._on_token = None
        self.transport.resume_reading()
        self.on_decided()
        if held := seat_line.release():
            if self.overheard is not None:
                self.overheard(held, b"")
            self.step(self.adapter.receive_data, held)
        if self.ended:
            self._end()

    def turn_away(self, code: str, sentence: str) -> None:
        """Tell the bot why it is refused, and close."""
        words = turned_away(code, sentence)
        self.wire.sent(words)
        self.transport.write(words)
        self.close()

    def part_with(self, code: str, sentence: str) -> None:
        """Tell the bot why the connection ends, in the words of the protocol if it has any, and close."""
        self.say(Refused(code, sentence), turned_away(code, sentence))
        self.transport.close()

    def connection_lost(self, reason: str) -> None:
        self.on_decided()
        super().connection_lost(reason)

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def say(self, event: ToBot, else_say: bytes = b"") -> None:
        """Send an event; `else_say` is sent if the protocol has no words for it."""
        before = self._written
        self.step(self.adapter.send, event)
        if data := self.adapter.data_to_send():
            self.write(data)  # a reply to the current input: the pump running above would write it too late
        if else_say and self._written == before:
            self.write(else_say)

    def write(self, data: bytes) -> None:
        self._written += len(data)
        self.wire.sent(data)
        self.transport.write(data)
        if self.overheard is not None:
            self.overheard(b"", data)

    def close(self) -> None:
        """What was written is still delivered, but the bot may come back now: it need not have ended its own side."""
        if not self.transport.is_closing:
            self.transport.close()
            asyncio.get_running_loop().call_soon(self.on_close)  # not before everybody has been told why it is closed

    @property
    def is_closing(self) -> bool:
        return self.transport.is_closing

    @property
    def is_unread(self) -> bool:
        return self.transport.is_unread

    def drop(self) -> None:
        self.transport.abort()

    def complain(self) -> None:
        log.exception("%s: the session failed and is closed", self.transport.peer)


def _nothing() -> None:
    """The default callback."""
