"""Replays a bot from its wire alone: its messages pass through the adapter of its protocol again, in the same order.

The order of messages within a wire is exact. Messages sent before the bot was told of a move have the number of the
move before. Time follows the wire: a deadline of the adapter passes when a recorded output shows that it did, without
waiting.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from math import inf
from typing import Literal

from arena.bots.session.wire import CAME_BACK
from arena.match.black_box import Spoken
from arena.play import meaning
from arena.play.pump import Pump
from arena.protocols import adapter as wire
from arena.protocols import protocol
from arena.protocols.seat_line import without_seat_line

# The clock of a timer and the stamp of a message are read one after the other.
SLACK_S = 0.005


@dataclass(slots=True, eq=False)
class _Timer:
    due: float
    callback: Callable[[], object]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class RecordedTime:
    """The loop of a recorded bot: it watches no files, and its timers fire when the wire shows that they were due."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timer: _Timer | None = None

    def call_later(self, delay: float, callback: Callable[..., object], /) -> _Timer:
        self.timer = _Timer(self.now + delay, callback)
        return self.timer

    def fire(self, until: float) -> bool:
        """Fire the timer if it was due by then. Returns whether there was one."""
        timer = self.timer
        if timer is None or timer.cancelled or timer.due > until + SLACK_S:
            return False
        self.timer = None
        self.now = timer.due
        timer.callback()
        return True

    def add_reader(self, fd: int, callback: Callable[..., object], /) -> None: ...

    def remove_reader(self, fd: int, /) -> None: ...

    def add_writer(self, fd: int, callback: Callable[..., object], /) -> None: ...

    def remove_writer(self, fd: int, /) -> None: ...


class RecordedBot:
    """`meant(event)` is called with its events; `defect` is the error of our own code, "" for none.

    `came_last`: the opponent was in the room before it.
    """

    def __init__(
        self, slug: str, name: str, room: str, messages: Iterable[Spoken], meant: Callable[[object], None]
    ) -> None:
        self.name, self.seat, self.ply = name, 0, 0
        self.ready = False
        self.asked_ply = 0
        self.defect = ""
        # The first difference in what is written to it: the recorded message, and today's output.
        self.differs: tuple[Spoken | None, bytes] | None = None
        self.came_last = False
        self._slug, self._room, self._meant = slug, room, meant
        self._heard = deque[tuple[int, Spoken]]()
        self._written = deque[tuple[int, Spoken]]()
        behind = without_seat_line()
        for number, said in enumerate(messages):
            if said.way == "out":
                self._written.append((number, said))
            elif said.way == "in":
                self._heard.append((number, said._replace(data=behind(said.data))))
            elif said.data == CAME_BACK:
                self._heard.append((number, said))
                behind = without_seat_line()
        self._time = RecordedTime()
        self._line = _RecordedLine(self, self._time)
        self._has_ended = False
        # It kept its connection from an earlier match, and has not said anything in this one.
        self.only_spoke_before = False

    @property
    def adapter(self) -> wire.Adapter:
        return self._line.adapter

    def new_adapter(self) -> wire.Adapter:
        return protocol(self._slug)()

    @property
    def came_at(self) -> float:
        """When it had sent everything that it sent before it got its seat."""
        return max((said.t for _, said in self._heard if said.t < 0), default=-inf)

    # -- it comes ------------------------------------------------------------------------------------------------------

    def sit(self, seat: int, until: float, *seated: wire.ToBot) -> None:
        """Hear everything it sent before it got its seat, until it is ready. If it kept its seat from an earlier match,
        it has sent nothing, and is treated as if it had just connected.
        """
        self.seat = seat
        while not self._says_no_more and (self._heard[0][1].t < until or not self.ready):
            if self._stops():
                break
            self._hear()
        if not self.ready:
            self._line.tick("ready")
        if not self.ready:
            self._greet()
        elif self.adapter.joins:
            self.hold(wire.Company(True))
        self.tell(*seated)

    def _greet(self) -> None:
        """Send its greeting for it, because it connected in an earlier match."""
        written, self._written = self._written, deque()
        self._line = _RecordedLine(self, self._time)
        for greeting in self.adapter.greeting:
            self._line.step(self.adapter.receive_data, greeting)
        self._line.pump()
        self._written, self.ready, self.differs = written, True, None
        self.only_spoke_before = True

    def came_back(self, until: float) -> float | None:
        """When it took its seat on a new connection, None if it had not by then. Switches to that connection."""
        if not self._is_back or self._heard[0][1].t > until:
            return None
        number, mark = self._heard.popleft()
        while self._written and self._written[0][0] < number:
            self._written.popleft()  # to a connection that was gone
        self._time = RecordedTime()
        self._line = _RecordedLine(self, self._time)
        self._has_ended = self.ready = False
        self._line.pump()
        return mark.t

    @property
    def _is_back(self) -> bool:
        return bool(self._heard) and self._heard[0][1].way == "err"

    @property
    def _says_no_more(self) -> bool:
        """Whether it has said everything that it said on its connection."""
        return not self._heard or self._is_back

    # -- it says -------------------------------------------------------------------------------------------------------

    def goes_on(self, until: float) -> bool:
        """Hear its next message, or fire a timer that was due by then. False if its wire has no more."""
        if self._stops():
            due = self._written[0][1].t
            if self._says_no_more:
                return self._time.fire(min(due, until))
            if not self._time.fire(due):
                self._differs(b"")  # nothing in the log made the arena write this
                self._written.popleft()
            return True
        if not self._says_no_more:
            self._hear()
            return True
        return self._time.fire(until)

    def end(self) -> None:
        """End its side of the connection, because its wire has no more messages on it. Nothing happens if it was told
        something else then: the connection was reset.
        """
        if not self._has_ended and self._was_sent(_then_sent(self.adapter, "receive_eof")):
            self._has_ended = True
            self._line.step(self.adapter.receive_eof)

    def _notice_end(self) -> None:
        """End its side if that is what it was told something for."""
        if self._says_no_more and not self._has_ended and _then_sent(self.adapter, "receive_eof"):
            self.end()

    def said_before(self, ply: int) -> None:
        """Hear everything it sent before it was told of this move."""
        while ply != self.ply and not self._says_no_more and not self._stops():
            if self._heard[0][1].ply != self.ply:
                return
            self._hear()

    def _stops(self) -> bool:
        """Whether the next message on the wire is from the arena."""
        return bool(self._written) and (not self._heard or self._written[0][0] < self._heard[0][0])

    def _hear(self) -> None:
        _, said = self._heard.popleft()
        self._time.now = said.t
        self.only_spoke_before = False
        if said.data:
            self._line.receive(said.data, said.t)

    # -- it is told ----------------------------------------------------------------------------------------------------

    def hold(self, *events: wire.ToBot) -> None:
        """Send it these events together with the next ones."""
        self._notice_end()
        for event in events:
            self._line.send(event)

    def tell(self, *events: wire.ToBot) -> None:
        """Send it these events in one piece, with those held before."""
        self.hold(*events)
        self._line.pump()

    def told_as(self, *ways: wire.ToBot) -> wire.ToBot:
        """Which of these events it was sent, by the recorded output; the last one if none matches."""
        for event in ways[:-1]:
            if self._was_sent(_then_sent(self.adapter, "send", event)):
                return event
        return ways[-1]

    def _was_sent(self, data: bytes) -> bool:
        """Whether this comes next in what was written to its connection."""
        until = self._heard[0][0] if self._is_back else inf
        return b"".join(said.data for number, said in self._written if number < until).startswith(data)

    def ask(self, turn: wire.Turn) -> None:
        self._notice_end()
        self.asked_ply = self.ply = turn.position.ply + 1
        self._line.asked()
        self._line.send(turn)

    def means(self, event: object) -> None:
        """Handle an event of the bot. Requests for a seat are granted, because the bot had its seat."""
        match event:
            case wire.Hello(token=token):
                if token:
                    self._line.send(wire.Admitted())
            case wire.Join() | wire.Queue() | wire.Challenge() if not self.ready or not self.asked_ply:
                if self.came_last:
                    self._line.send(wire.Company(True))
                self._line.send(wire.Joined(self._room))
                self.ready = True
            case wire.Ready():
                self.ready = True
            case _:
                self._meant(event)

    def wrote(self, data: bytes) -> None:
        """Compare the adapter's output with the wire."""
        while data and self._written:
            number, said = self._written[0]
            common = min(len(data), len(said.data))
            if data[:common] != said.data[:common]:
                same = next(n for n in range(common) if data[n] != said.data[n])
                self._written[0] = (number, said._replace(data=said.data[same:]))
                self._differs(data[same:])
                self._written.popleft()
                return
            data, rest = data[common:], said.data[common:]
            self._time.now = max(self._time.now, said.t)
            if rest:
                self._written[0] = (number, said._replace(data=rest))
            else:
                self._written.popleft()
        if data:
            self._differs(data)

    def _differs(self, data: bytes) -> None:
        if self.differs is None:
            self.differs = (self._written[0][1] if self._written else None, data)


def _then_sent(adapter: wire.Adapter, act: Literal["send", "receive_eof"], *arguments: wire.ToBot) -> bytes:
    """What this adapter would send next if it were called like this."""
    copied = deepcopy(adapter)
    getattr(copied, act)(*arguments)
    return copied.data_to_send()


class _RecordedLine(Pump):
    """Both ends of its connection."""

    __slots__ = ("_bot", "_began")

    def __init__(self, bot: RecordedBot, time: RecordedTime) -> None:
        super().__init__(time, bot.new_adapter(), self)
        self._bot = bot
        self._began = self.stamp

    def receive(self, data: bytes, t: float) -> None:
        if self.admits(data, self._began + t):
            self.step(self.adapter.receive_data, data)

    def send(self, event: wire.ToBot) -> None:
        """A reply to the current input is written at once, everything else by the next `pump`."""
        try:
            self.adapter.send(event)
        except Exception:
            self.broke()
        if self._pumping and (data := self.adapter.data_to_send()):
            self.write(data)

    def write(self, data: bytes) -> None:
        self._bot.wrote(data)

    # As its own listener.

    def heard(self, event: wire.FromBot) -> None:
        self._bot.means(event)

    def flooded(self) -> None:
        self._bot.means(meaning.flooded(self._bot.name))

    def lost(self, reason: str) -> None: ...

    def close(self) -> None: ...

    def drop(self) -> None: ...

    @property
    def is_closing(self) -> bool:
        return False

    @property
    def is_unread(self) -> bool:
        return False

    def complain(self) -> None:
        self._bot.defect = repr(sys.exc_info()[1])
