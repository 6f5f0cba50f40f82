"""One adapter on one transport, without an event loop of asyncio: bytes in, what the bot meant out, and back."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from arena.common.limits import Bucket
from arena.play.flood import COSTS_OF_A_LINE, LINES, lines_in
from arena.play.loop import Alarm, Loop

if TYPE_CHECKING:
    from arena.protocols.adapter import Adapter, Deadline, FromBot, ToBot
    from arena.transports import Transport

# How many of its messages are kept, to explain why its bot failed.
RECENT_MESSAGES = 64
# Of one match, so many bytes are kept where all of it is asked for; each message costs a little besides.
MOST_BYTES, OVERHEAD = 1024 * 1024, 64


Way = Literal["in", "out", "err"]


class WireMessage(NamedTuple):
    """What went over a line in one piece: `in` came from the bot, `out` was written to it, `err` are its complaints.
    `stamp` is a time of `time.monotonic`, `ply` the move that was being made."""

    stamp: float
    way: Way
    data: bytes
    ply: int


class LineListener(Protocol):
    """Who is told what comes over a line."""

    def heard(self, event: FromBot) -> None:
        """The bot means this."""

    def wrote(self, data: bytes) -> None:
        """This is being written to the bot."""

    def flooded(self) -> None:
        """The bot sends more lines than anybody needs: its connection is dropped."""

    def broke(self) -> None:
        """A defect of ours: the connection is dropped."""

    def lost(self, reason: str) -> None:
        """The connection is over and released."""


class Line:
    """`stamp` is when the bytes came that were read last. `passed` is what went over it last; `wire` all of the running
    match, where that is asked for with `keep`, and `ply` is noted beside it.
    """

    def __init__(self, loop: Loop, adapter: Adapter, listener: LineListener, keep: bool) -> None:
        self.adapter = adapter
        self.transport: Transport | None = None
        self.stamp = time.monotonic()
        self.passed: deque[tuple[str, bytes]] = deque(maxlen=RECENT_MESSAGES)
        self.wire: list[WireMessage] = []
        self.ply = 0
        self._room = MOST_BYTES if keep else 0
        self._keep = keep
        self._loop = loop
        self._listener = listener
        self._allowance = Bucket(*LINES, self.stamp)
        self._pumping = self._over = False
        self._deadline: Deadline | None = None
        self._timer: Alarm | None = None

    # -- from the transport --------------------------------------------------------------------------------------------

    def data_received(self, data: bytes, stamp: float) -> None:
        self._note("in", data, stamp)
        if not self._allowance.take(lines_in(data), stamp):
            self._listener.flooded()
            if self.transport is not None:
                self.transport.abort()
            return
        self.stamp = stamp
        self._step(self.adapter.receive_data, data)

    def eof_received(self) -> None:
        self.stamp = time.monotonic()
        self._step(self.adapter.receive_eof)

    def connection_lost(self, reason: str) -> None:
        self._over = True
        if self._timer is not None:
            self._timer.cancel()
        self._listener.lost(reason)

    def complained(self, data: bytes) -> None:
        """The bot has written this to its standard error."""
        self._note("err", data, time.monotonic())

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def say(self, event: ToBot) -> None:
        """Tell it, at once."""
        self._step(self.adapter.send, event)

    def asked(self) -> None:
        """It has been asked, so it may answer."""
        self._allowance.give(COSTS_OF_A_LINE * self.adapter.answer_lines)

    def tick(self, name: str) -> None:
        """A deadline has passed: the adapter's own, or one that was kept for it."""
        self._step(self.adapter.tick, name)

    def pump(self) -> None:
        """Write what the adapter wants to say, then take what the bot meant."""
        if self._pumping or self.transport is None:
            return
        adapter, self._pumping = self.adapter, True
        try:
            while True:
                if data := adapter.data_to_send():
                    self._note("out", data)
                    self._listener.wrote(data)
                    self.transport.write(data)
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

    def take_wire(self) -> list[WireMessage]:
        """What has been kept since the last time."""
        kept, self.wire = self.wire, []
        self._room = MOST_BYTES if self._keep else 0
        return kept

    def broke(self) -> None:
        """Called where an exception is being handled: a defect of ours ends this connection and no other."""
        import logging

        logging.getLogger("arena.play").exception("%s: the adapter failed", self.adapter.slug)
        self._listener.broke()
        if self.transport is not None:
            self.transport.abort()

    def _note(self, way: Way, data: bytes, stamp: float = 0.0) -> None:
        self.passed.append((way, data))
        if self._room > 0:
            self._room -= len(data) + OVERHEAD
            if self._room > 0:
                self.wire.append(WireMessage(stamp or time.monotonic(), way, data, self.ply))

    def _wait(self, deadline: Deadline | None) -> None:
        self._deadline = deadline
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None and not self._over:
            self._timer = self._loop.call_later(deadline.seconds, lambda: self.tick(deadline.name))

    def _step(self, step: Callable[..., None], *arguments: Any) -> None:
        try:
            step(*arguments)
        except Exception:
            self.broke()
        self.pump()
