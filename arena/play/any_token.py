"""Where nobody checks a token, any bot may sit, also one that shows a token first, as it does at a server's door."""

from __future__ import annotations

import time

from arena.protocols.seat_line import SeatLine, turned_away
from arena.transports import Receiver, Transport

NOT_ONE = "After SEAT comes one token, and the end of the line."


class AnyToken:
    """In front of a receiver: takes a SEAT line away and passes on the rest. `token` is what it showed, "" for none."""

    def __init__(self, transport: Transport, receiver: Receiver) -> None:
        self._transport, self._receiver = transport, receiver
        self._seat_line: SeatLine | None = SeatLine()
        self.token = ""

    def data_received(self, data: bytes, stamp: float) -> None:
        if self._seat_line is not None:
            passed = self._seat_line.feed(data)
            if self._seat_line.token == "?":
                self._transport.write(turned_away("unknown_token", NOT_ONE))
                self._transport.close()
                return
            if passed is None and not self._seat_line.token:
                return
            self.token, data = self._seat_line.token, passed or self._seat_line.release()
            self._seat_line = None
        if data:
            self._receiver.data_received(data, stamp)

    def eof_received(self) -> None:
        if self._seat_line is not None and (held := self._seat_line.release()):
            self._receiver.data_received(held, time.monotonic())
        self._seat_line = None
        self._receiver.eof_received()

    def connection_lost(self, reason: str) -> None:
        self._receiver.connection_lost(reason)
