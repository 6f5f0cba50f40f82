"""One adapter on one transport: bytes in, what the bot meant out, and back. It knows no match."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Protocol

from arena.bots.session.seat_line import SeatLine, turned_away
from arena.bots.session.wire import Wire
from arena.common.limits import Bucket
from arena.play.flood import COSTS_OF_A_LINE, LINES, lines_in
from arena.protocols.adapter import Adapter, Deadline, FromBot, Refused, ToBot
from arena.transports import Transport

log = logging.getLogger("arena.bots")


class MeaningListener(Protocol):
    """Who is told what a bot meant."""

    def heard(self, event: FromBot) -> None: ...

    def flooded(self) -> None:
        """The bot sends more lines than anybody needs; its connection is dropped."""

    def broke(self) -> None:
        """A defect of ours: the connection is dropped."""

    def lost(self, reason: str) -> None:
        """The connection is over and released."""


class Connection:
    """`stamp` is when the bytes came that were read last. What the adapter says is written in one piece.

    With `on_token` the bot may send a SEAT line first, which the adapter never sees: `admit` or `turn_away` answers it.
    `overheard(received, answered)` is told of the bytes of both sides while somebody watches; `on_decided` is called
    when the bot is known to show a token or none.
    """

    def __init__(
        self,
        adapter: Adapter,
        transport: Transport,
        listener: MeaningListener,
        on_token: Callable[[str], None] | None = None,
    ) -> None:
        self.adapter = adapter
        self.transport = transport
        self.stamp = time.monotonic()
        self.wire = Wire()
        self._listener = listener
        self._on_token = on_token
        self._seat_line = SeatLine() if on_token is not None else None
        self._ended = False
        self.overheard: Callable[[bytes, bytes], None] | None = None
        self.on_decided: Callable[[], None] = _nothing
        self._allowance = Bucket(*LINES, self.stamp)
        self._pumping = False
        self._written = 0
        self._deadline: Deadline | None = None
        self._timer: asyncio.TimerHandle | None = None
        asyncio.get_running_loop().call_soon(self.pump)

    # -- from the transport --------------------------------------------------------------------------------------------

    def data_received(self, data: bytes, stamp: float) -> None:
        self.wire.received(data, stamp)
        if not self._allowance.take(lines_in(data), stamp):
            self._listener.flooded()
            if not self.transport.is_closing:
                self.transport.abort()
            return
        self.stamp = stamp
        if self._seat_line is not None and not (data := self._behind_seat_line(self._seat_line, data)):
            return
        if self.overheard is not None:
            self.overheard(data, b"")
        try:
            self.adapter.receive_data(data)
        except Exception:
            self.broke()
        self.pump()

    def eof_received(self) -> None:
        self.stamp = time.monotonic()
        if self._seat_line is not None and self._seat_line.token:
            self._ended = True
            return
        self.admit()
        self._step(self.adapter.receive_eof)

    # -- a token ahead of everything -----------------------------------------------------------------------------------

    @property
    def undecided(self) -> bool:
        """Whether the bot may be showing a token just now."""
        return self._seat_line is not None and self._seat_line.undecided

    def _behind_seat_line(self, seat_line: SeatLine, data: bytes) -> bytes:
        """What of `data` is for the adapter. While a token is looked up nothing more is read."""
        passed = seat_line.feed(data)
        if passed is not None:
            self._seat_line = None
            self.on_decided()
            return passed
        if seat_line.token and self._on_token is not None:
            self.transport.pause_reading()
            self._on_token(seat_line.token)
        return b""

    def admit(self) -> None:
        """The token is good, or none comes: the adapter gets what stands behind it."""
        seat_line, self._seat_line = self._seat_line, None
        if seat_line is None:
            return
        self.transport.resume_reading()
        self.on_decided()
        if held := seat_line.release():
            if self.overheard is not None:
                self.overheard(held, b"")
            self._step(self.adapter.receive_data, held)
        if self._ended:
            self._step(self.adapter.receive_eof)

    def turn_away(self, code: str, sentence: str) -> None:
        """Say why the bot may not come in, and close."""
        words = turned_away(code, sentence)
        self.wire.sent(words)
        self.transport.write(words)
        self.transport.close()

    def part_with(self, code: str, sentence: str) -> None:
        """Say why the connection is over, in the words of the protocol where it has any, and close."""
        self.say(Refused(code, sentence), turned_away(code, sentence))
        self.transport.close()

    def connection_lost(self, reason: str) -> None:
        self.on_decided()
        if self._timer is not None:
            self._timer.cancel()
        self._listener.lost(reason)

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def say(self, event: ToBot, else_say: bytes = b"") -> None:
        """`else_say` goes out where the protocol has no words for the event."""
        before = self._written
        self._step(self.adapter.send, event)
        if data := self.adapter.data_to_send():
            self._write(data)  # said in answer to what is being heard: the pump that goes on above writes it too late
        if else_say and self._written == before:
            self._write(else_say)

    def asked(self) -> None:
        """The bot has been asked, so it may answer."""
        self._allowance.give(COSTS_OF_A_LINE * self.adapter.answer_lines)

    def pump(self) -> None:
        """Write what the adapter wants to say, then take what the bot meant."""
        if self._pumping:
            return
        adapter, self._pumping = self.adapter, True
        try:
            while True:
                data = adapter.data_to_send()
                if data:
                    self._write(data)
                events = adapter.events_received()
                if not events:
                    break
                for event in events:
                    self._listener.heard(event)
        except Exception:
            self.broke()
        finally:
            self._pumping = False
        if adapter.deadline is not self._deadline:
            self._wait(adapter.deadline)
        if adapter.wants_close:
            self.transport.close()

    def _write(self, data: bytes) -> None:
        self._written += len(data)
        self.wire.sent(data)
        self.transport.write(data)
        if self.overheard is not None:
            self.overheard(b"", data)

    def _wait(self, deadline: Deadline | None) -> None:
        """The adapter waits for something else now."""
        self._deadline = deadline
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None:
            self._timer = asyncio.get_running_loop().call_later(deadline.seconds, self.tick, deadline.name)

    def tick(self, name: str) -> None:
        """A deadline has passed: the adapter's own, or one that was kept for it."""
        self._step(self.adapter.tick, name)

    def _step(self, step: Callable[..., None], *arguments: object) -> None:
        try:
            step(*arguments)
        except Exception:
            self.broke()
        self.pump()

    def broke(self) -> None:
        """Called where an exception is being handled: log it, and drop the connection."""
        log.exception("%s: the session failed and is closed", self.transport.peer)
        self._listener.broke()
        self.transport.abort()


def _nothing() -> None:
    """Nobody waits for it."""
