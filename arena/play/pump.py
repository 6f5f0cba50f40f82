"""Steps one adapter: writes what it says, passes on what the bot meant, and keeps its deadlines. It knows no match.

Both shells stand on it, the sessions of a server on asyncio and the lines of `arena.play` without. It imports little,
because a runner starts with it.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from functools import partial

from arena.common.limits import Bucket
from arena.play.flood import COSTS_OF_A_LINE, LINES, lines_in
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from arena.protocols.adapter import Adapter, Deadline, FromBot
    from arena.transports.shape import ProcessLoop, Timer

    class MeaningListener(Protocol):
        """Who is told what a bot meant."""

        def heard(self, event: FromBot) -> None:
            """The bot means this."""

        def flooded(self) -> None:
            """The bot sends more lines than anybody needs: its connection is dropped."""

        def broke(self) -> None:
            """A defect of ours: the connection is dropped."""

        def lost(self, reason: str) -> None:
            """The connection is over and released."""


# How long a bot may leave what it was sent unread before it is sent more all the same.
UNREAD_S = 20.0


class Pump(ABC):
    """`stamp` is when the bytes came that were read last."""

    __slots__ = ("_allowance", "_deadline", "_listener", "_loop", "_over", "_pumping", "_timer", "adapter", "stamp")

    def __init__(self, loop: ProcessLoop, adapter: Adapter, listener: MeaningListener) -> None:
        self.adapter = adapter
        self.stamp = time.monotonic()
        self._loop = loop
        self._listener = listener
        self._allowance = Bucket(*LINES, self.stamp)
        self._pumping = self._over = False
        self._deadline: Deadline | None = None
        self._timer: Timer | None = None

    # -- what a shell does ---------------------------------------------------------------------------------------------

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send the bot this."""

    @abstractmethod
    def close(self) -> None:
        """End the connection behind what was written."""

    @property
    @abstractmethod
    def is_closing(self) -> bool:
        """Whether its end has begun."""

    @property
    @abstractmethod
    def is_unread(self) -> bool:
        """Whether the bot is seen not to have read all it was sent."""

    @abstractmethod
    def drop(self) -> None:
        """End the connection at once."""

    @abstractmethod
    def complain(self) -> None:
        """Log the exception that is being handled."""

    # -- from the transport --------------------------------------------------------------------------------------------

    def admits(self, data: bytes, stamp: float) -> bool:
        """Whether the bot may say so much; if not, its connection is dropped."""
        if not self._allowance.take(lines_in(data), stamp):
            self._listener.flooded()
            if not self.is_closing:
                self.drop()
            return False
        self.stamp = stamp
        return True

    def connection_lost(self, reason: str) -> None:
        self._over = True
        if self._timer is not None:
            self._timer.cancel()
        self._listener.lost(reason)

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def asked(self) -> None:
        """The bot has been asked, so it may answer."""
        self._allowance.give(COSTS_OF_A_LINE * self.adapter.answer_lines)

    def tick(self, name: str) -> None:
        """A deadline has passed: the adapter's own, or one that was kept for it."""
        self.step(self.adapter.tick, name)

    def step(self, step: Callable[..., None], *arguments: object) -> None:
        """Do this with the adapter, then pump."""
        try:
            step(*arguments)
        except Exception:
            self.broke()
        self.pump()

    def pump(self) -> None:
        """Write what the adapter wants to say, then take what the bot meant."""
        if self._pumping:
            return
        adapter, self._pumping = self.adapter, True
        try:
            # Looked at before it is asked for: of a move each side is told, and only one has anything to say to it.
            while True:
                if adapter._out:
                    self.write(adapter.data_to_send())
                if not adapter._events:
                    break
                for event in adapter.events_received():
                    self._listener.heard(event)
        except Exception:
            self.broke()
        finally:
            self._pumping = False
        if adapter.deadline is not self._deadline:
            self._wait(adapter.deadline)
        if adapter.wants_close:
            self.close()

    def _wait(self, deadline: Deadline | None) -> None:
        """The adapter waits for something else now."""
        self._deadline = deadline
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None and not self._over:
            patience = UNREAD_S if deadline.once_read else 0.0
            self._timer = self._loop.call_later(deadline.seconds, partial(self._pass, deadline, patience))

    def _pass(self, deadline: Deadline, patience: float) -> None:
        """It is over, unless the bot is yet to read what the next value would be glued to."""
        if patience > 0 and self.is_unread:
            left = patience - deadline.seconds
            self._timer = self._loop.call_later(deadline.seconds, partial(self._pass, deadline, left))
        else:
            self.tick(deadline.name)

    def broke(self) -> None:
        """Called where an exception is being handled: a defect of ours ends this connection and no other."""
        self.complain()
        self._listener.broke()
        self.drop()
