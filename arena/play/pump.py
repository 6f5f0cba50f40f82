"""Drives one adapter, for sessions on asyncio and the lines of `arena.play`: writes its output, passes on events, keeps
deadlines, knows no match. It imports little, because a runner starts with it.
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
        """Is told what a bot meant."""

        def heard(self, event: FromBot) -> None:
            """The bot has sent this event."""

        def flooded(self) -> None:
            """The bot sends too many lines: its connection is dropped."""

        def broke(self) -> None:
            """A bug of ours: the connection is dropped."""

        def lost(self, reason: str) -> None:
            """The connection is over and released."""


# How many seconds a bot may leave output unread before it is sent more anyway.
UNREAD_S = 20.0


class Pump(ABC):
    """`stamp` is the time at which the latest bytes were read."""

    __slots__ = (
        "_allowance",
        "_awaited",
        "_deadline",
        "_listener",
        "_loop",
        "_over",
        "_pumping",
        "_timer",
        "adapter",
        "stamp",
    )

    def __init__(self, loop: ProcessLoop, adapter: Adapter, listener: MeaningListener) -> None:
        self.adapter = adapter
        self.stamp = time.monotonic()
        self._loop = loop
        self._listener = listener
        self._allowance = Bucket(*LINES, self.stamp)
        self._awaited = 0  # what the answer to the latest request costs at most
        self._pumping = self._over = False
        self._deadline: Deadline | None = None
        self._timer: Timer | None = None

    # -- implemented by subclasses -------------------------------------------------------------------------------------

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send this to the bot."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection after all that was written."""

    @property
    @abstractmethod
    def is_closing(self) -> bool:
        """Whether the connection is being closed."""

    @property
    @abstractmethod
    def is_unread(self) -> bool:
        """Whether the bot evidently has not read all it was sent."""

    @abstractmethod
    def drop(self) -> None:
        """Close the connection at once."""

    @abstractmethod
    def complain(self) -> None:
        """Log the exception that is being handled."""

    # -- from the transport --------------------------------------------------------------------------------------------

    def admits(self, data: bytes, stamp: float) -> bool:
        """Whether the bot may send this much; if not, its connection is dropped."""
        self.stamp = stamp
        unasked = lines_in(data) - self._awaited
        self._awaited = max(0, -unasked)
        if unasked <= 0 or self._allowance.take(unasked, stamp):
            return True
        self._listener.flooded()
        if not self.is_closing:
            self.drop()
        return False

    def connection_lost(self, reason: str) -> None:
        self._over = True
        if self._timer is not None and not self.adapter.ahead:
            self._timer.cancel()
        self._listener.lost(reason)

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def asked(self) -> None:
        """Allow an answer, because the bot has been asked."""
        self._awaited = COSTS_OF_A_LINE * self.adapter.answer_lines

    def tick(self, name: str) -> None:
        """Report a passed deadline to the adapter."""
        self.step(self.adapter.tick, name)

    def step(self, step: Callable[..., None], *arguments: object) -> None:
        """Call this method of the adapter, then pump."""
        try:
            step(*arguments)
        except Exception:
            self.broke()
        self.pump()

    def pump(self) -> None:
        """Write the adapter's output, then pass on the bot's events."""
        if self._pumping:
            return
        adapter, self._pumping = self.adapter, True
        try:
            # Checked before the calls: both sides are told of each move, but only one adapter has output for it.
            while True:
                if adapter.out:
                    self.write(adapter.data_to_send())
                if not adapter.events:
                    break
                for event in adapter.events_received():
                    if adapter.out:  # what came of the event before this, with which it may close
                        self.write(adapter.data_to_send())
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
        """Replace the deadline that is being waited for."""
        self._deadline = deadline
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None and (self.adapter.ahead or not self._over):  # answers ahead still play for who is gone
            patience = UNREAD_S if deadline.once_read else 0.0
            self._timer = self._loop.call_later(deadline.seconds, partial(self._pass, deadline, patience))

    def _pass(self, deadline: Deadline, patience: float) -> None:
        """Let the deadline pass, unless the next value would be joined to one that the bot has not read yet."""
        if patience > 0 and self.is_unread:
            left = patience - deadline.seconds
            self._timer = self._loop.call_later(deadline.seconds, partial(self._pass, deadline, left))
        else:
            self.tick(deadline.name)

    def broke(self) -> None:
        """End only this connection after a bug of ours; called while an exception is being handled."""
        self.complain()
        self._listener.broke()
        self.drop()
