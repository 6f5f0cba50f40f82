"""One adapter on one transport, without asyncio: converts bytes to events of the bot, and back."""

from __future__ import annotations

import time
from collections import deque

from arena.play.pump import Pump
from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal, Protocol

    from arena.play.loop import Loop
    from arena.play.pump import MeaningListener
    from arena.protocols.adapter import Adapter, ToBot
    from arena.transports import Transport

    Way = Literal["in", "out", "err"]

    class LineListener(MeaningListener, Protocol):
        """Is told what arrives over a line, and what is written to the bot."""

        def wrote(self, data: bytes) -> None:
            """This is being written to the bot."""


# How many messages are kept to explain why a bot failed.
RECENT_MESSAGES = 64
# If all messages of a match are wanted, at most this many bytes are kept; each message counts a little extra.
MOST_BYTES, OVERHEAD = 1024 * 1024, 64


class WireMessage(NamedTuple):
    """One piece of traffic: `in` came from the bot, `out` was written to it, `err` is its standard error. `ply` is the
    number of the move in progress. `stamp` is from `time.monotonic`; in a log it counts from the match's opening."""

    stamp: float
    way: Way
    data: bytes
    ply: int


class Line(Pump):
    """`passed` holds the last messages; with `keep`, `wire` holds all of the running match, each with its `ply`."""

    def __init__(self, loop: Loop, adapter: Adapter, listener: LineListener, keep: bool) -> None:
        super().__init__(loop, adapter, listener)
        self.transport: Transport | None = None
        self.passed: deque[tuple[str, bytes]] = deque(maxlen=RECENT_MESSAGES)
        self.wire: list[WireMessage] = []
        self.ply = 0
        self._room = MOST_BYTES if keep else 0
        self._keep = keep
        self._wrote = listener.wrote
        self._pumping = True  # nothing is pumped before it is connected

    def connect(self, transport: Transport) -> None:
        """From now on what it says goes there."""
        self.transport = transport
        self._pumping = False

    # -- from the transport --------------------------------------------------------------------------------------------

    def data_received(self, data: bytes, stamp: float) -> None:
        self._note("in", data, stamp)
        if self.admits(data, stamp):
            self.step(self.adapter.receive_data, data)

    def eof_received(self) -> None:
        self.stamp = time.monotonic()
        self.step(self.adapter.receive_eof)

    def complained(self, data: bytes) -> None:
        """Record output of the bot on its standard error."""
        self._note("err", data, time.monotonic())

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def say(self, event: ToBot) -> None:
        """Send the bot an event at once."""
        self.step(self.adapter.send, event)

    def write(self, data: bytes) -> None:
        assert self.transport is not None, "nothing is pumped before"
        self._note("out", data)
        self._wrote(data)
        self.transport.write(data)

    def take_wire(self, opened: float) -> list[WireMessage]:
        """The messages kept since the last call, with times that count from `opened`: others have another clock."""
        kept, self.wire = self.wire, []
        self._room = MOST_BYTES if self._keep else 0
        return [message._replace(stamp=message.stamp - opened) for message in kept]

    def close(self) -> None:
        if self.transport is not None:
            self.transport.close()

    @property
    def is_closing(self) -> bool:
        return self.transport is None or self.transport.is_closing

    @property
    def is_unread(self) -> bool:
        return self.transport is not None and self.transport.is_unread

    def drop(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def complain(self) -> None:
        import logging

        logging.getLogger("arena.play").exception("%s: the adapter failed", self.adapter.slug)

    def _note(self, way: Way, data: bytes, stamp: float = 0.0) -> None:
        self.passed.append((way, data))
        if self._room > 0:
            self._room -= len(data) + OVERHEAD * (data.count(b"\n") or 1)
            if self._room > 0:
                self.wire.append(WireMessage(stamp or time.monotonic(), way, data, self.ply))
