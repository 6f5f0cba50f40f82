"""A transport that records its traffic, and can deliver it in other segments."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from arena.play.loop import Loop
from arena.transports import Receiver, Transport

# The pause between single bytes, long enough for a reader to wake up for each. On a busy machine it wakes up later, so
# the next byte waits until the last one has been read, but no longer than this for a bot that does not read now.
PIECE_S, PATIENT_S = 0.0005, 0.5


class PassedBytes(NamedTuple):
    """Recorded bytes: `>` from the bot, `<` to the bot."""

    direction: Literal["<", ">"]
    data: bytes


class Tap:
    """Sits between a connection and its real transport. `in_pieces` writes every byte on its own; while it
    `stays_open`, the arena's end is held open; `end_input` ends the bot's input.
    """

    def __init__(
        self, loop: Loop, transport: Transport, end_input: Callable[[], None], in_pieces: bool = False
    ) -> None:
        self.receiver: Receiver
        self.passed: list[PassedBytes] = []
        self.stays_open = False
        self._transport = transport
        self.end_input = end_input
        self._in_pieces = in_pieces
        self._loop = loop
        self._pieces = bytearray()
        self._is_sending = self._closes = False
        self._read_by = 0.0

    def since(self, index: int, direction: str = ">") -> bytes:
        """All bytes of one direction from this entry on."""
        return b"".join(data for way, data in self.passed[index:] if way == direction)

    # -- as the receiver of the transport ------------------------------------------------------------------------------

    def data_received(self, data: bytes, stamp: float) -> None:
        self.passed.append(PassedBytes(">", data))
        self.receiver.data_received(data, stamp)

    def eof_received(self) -> None:
        self.receiver.eof_received()

    def connection_lost(self, reason: str) -> None:
        self.receiver.connection_lost(reason)

    # -- as the transport of the connection ----------------------------------------------------------------------------

    @property
    def peer(self) -> str:
        return self._transport.peer

    @property
    def is_closing(self) -> bool:
        return self._transport.is_closing

    @property
    def is_unread(self) -> bool:
        return self._transport.is_unread

    def write(self, data: bytes) -> None:
        self.passed.append(PassedBytes("<", data))
        if not self._in_pieces:
            self._transport.write(data)
            return
        self._pieces += data
        if not self._is_sending:
            self._send_piece()

    def _send_piece(self) -> None:
        is_read = not self._transport.is_unread or time.monotonic() >= self._read_by
        if is_read and self._pieces:
            self._transport.write(bytes(self._pieces[:1]))
            del self._pieces[:1]
            self._read_by = time.monotonic() + PATIENT_S
        elif is_read:
            self._is_sending = False
            if self._closes:
                self._transport.close()
            return
        self._is_sending = True
        self._loop.call_later(PIECE_S, self._send_piece)

    def close(self) -> None:
        if self._is_sending:
            self._closes = not self.stays_open
        elif not self.stays_open:
            self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()


def transcript(passed: list[PassedBytes]) -> Iterator[str]:
    """The traffic in the notation of the tests' transcripts: `> 3` ends with a newline, `>= 3` does not."""
    for direction, data in passed:
        *lines, rest = data.split(b"\n")
        for line in lines:
            yield f"{direction} {_visible(line)}"
        if rest:
            yield f"{direction}= {_visible(rest)}"


def _visible(data: bytes) -> str:
    named = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x5C: "\\\\"}
    return "".join(named.get(byte, chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in data)
