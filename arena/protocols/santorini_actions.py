"""The actions of a Santorini 6×6 conversation in JSON values; each protocol defines the values themselves.

Known clients take the result of one read for one value. So the arena sends a second value only after the answer to the
first, or, in a protocol without acknowledgements, after a pause in which it can be read. Each ends with a newline,
which readers of values skip and readers of lines need. Further values wait.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar

from arena.protocols.adapter import BotFault, BotMove, BotResigns, Deadline, Ended, Hello, Ready, TableAdapter
from arena.protocols.framing import shown
from arena.protocols.json_values import ValueBuffer, write_value
from arena.protocols.machine import Transition
from arena.protocols.santorini_words import Names, name_of
from games.santorini import SantoriniPosition

ACK_S = 10.0
# The bot does not acknowledge the answer to its registration: this pause keeps new_game out of the same read.
PAUSE_S = 0.1
# How many bytes known clients read at once and take for one value.
READ = 1024
# How many values, and how many bytes of them, are kept for coming requests.
MOST_AHEAD, MOST_BYTES_AHEAD = 64, 64 * 1024

BEGINNINGS = b'["'


class SantoriniState(StrEnum):
    """The states of the conversation."""

    NAMELESS = "nameless"
    CONFIRMED = "confirmed"  # its registration was answered, and it needs time to read that
    RENAMED = "renamed"  # it was sent another name
    READY = "ready"  # before its first match
    GREETED = "greeted"  # it was sent the beginning of a match
    PLAYING = "playing"  # in a match, without a request
    ASKED = "asked"  # it was sent a request
    PAST = "past"  # it was sent a request whose match has ended: any answer will do
    TOLD = "told"  # the match is over, and the last value sent has no answer yet
    BETWEEN = "between"  # the match is over, and nothing waits for an answer
    PARTING = "parting"  # it was sent its last value
    DEAF = "deaf"  # it broke the protocol: its values are ignored until the next match
    CLOSED = "closed"


class SantoriniEvent(StrEnum):
    """Values of the bot, deadlines, and news of the arena."""

    JOIN = "join"
    NAME = "name"
    OTHER_NAME = "name that cannot be used"
    OK = "OK"
    VALUE = "another value"
    MOVE = "move"
    RESIGN = "its own name"
    WRONG = "wrong value"
    FLOOD = "too much"
    IS_READY = "time for a name is over"
    TIME_OVER = "time over"
    STARTED = "match begins"
    TURN = "turn"
    ENDED = "match ends"
    ENDED_BROKEN = "match ends by a rule it broke"
    RESULT = "result of a match"
    RESULTS = "all results"
    NO_RESULTS = "no results to tell"
    EVENT_OVER = "event ends"
    BYE = "goodbye"


_E = SantoriniEvent


class SantoriniActions(TableAdapter):
    """The data of one player, and the actions of its transitions.

    `pause_s` is the pause in seconds after a value without an answer; None if all are acknowledged with "OK".
    """

    pause_s: ClassVar[float | None] = None

    __slots__ = (
        *("_buffer", "_ended", "_ignored", "_is_finished", "_kept", "_name", "_names", "_next", "_position"),
        *("_results", "_seat"),
    )

    def __init__(self) -> None:
        self._buffer = ValueBuffer(BEGINNINGS)
        # Values the bot sent before a request, and events that wait for the bot's answer.
        self._kept: deque[bytes] = deque()
        self._next: deque[tuple[SantoriniEvent, Any]] = deque()
        self._name = ""
        self._names: Names = ("player", "playerb")
        self._seat = 0
        self._position: SantoriniPosition | None = None
        self._results: list[object] = []
        # How many values have come since the match, for which nothing waits.
        self._ignored = 0
        # The bot's input has ended; the same, but kept values have yet to answer requests.
        self._is_finished = self._ended = False

    # -- the words of a protocol ---------------------------------------------------------------------------------------

    @abstractmethod
    def _new_name(self) -> object:
        """The value that tells the bot another name."""

    @abstractmethod
    def _new_game(self, opponent: str) -> object:
        """The value that begins a match."""

    @abstractmethod
    def _place(self, position: SantoriniPosition) -> object:
        """The request to place a worker."""

    @abstractmethod
    def _turn(self, position: SantoriniPosition) -> object:
        """The request to take a turn."""

    @abstractmethod
    def _note(self, winner: int, termination: str) -> None:
        """Record the result of a match that the bot was told of, and send it if the protocol does."""

    @abstractmethod
    def _all_results(self) -> object:
        """The value that ends a series."""

    def _tells_results(self) -> bool:
        """Whether the series so far has results to send."""
        return True

    # -- its name ------------------------------------------------------------------------------------------------------

    def take_name(self, name: str) -> None:
        self._name = name
        self.events.append(Hello(name))
        self.be_ready(None)

    def confirm(self, name: str) -> None:
        self._name = name
        self.events.append(Hello(name))
        self.out += write_value("OK")
        self.deadline = Deadline("ready", PAUSE_S, once_read=True)

    def rename(self, name: str) -> None:
        self._name = name_of(name)
        self.events.append(Hello(self._name))
        self._send(self._new_name())

    def rename_ready(self, name: str) -> None:
        self.rename(name)
        self.events.append(Ready())

    def be_ready(self, _: object) -> None:
        self.deadline = None
        self.events.append(Ready())

    # -- its answers ---------------------------------------------------------------------------------------------------

    def keep(self, data: bytes) -> None:
        """Keep a value to answer a coming request; too many are a fault."""
        self._kept.append(data)
        if len(self._kept) > MOST_AHEAD or sum(map(len, self._kept)) > MOST_BYTES_AHEAD:
            expected = f"at most {MOST_AHEAD} values and {MOST_BYTES_AHEAD // 1024} KiB ahead of the next request"
            self._step(_E.WRONG, BotFault("bad_output", shown(data), expected))

    def ignore(self, _: object) -> None:
        """Drop a value for which nothing waits; after too many of them all input is dropped until the next match."""
        self._ignored += 1
        if self._ignored > MOST_AHEAD:
            self._buffer.overlong = b""

    def submit(self, move: str) -> None:
        self.events.append(BotMove(move))

    def resign(self, _: object) -> None:
        self.events.append(BotResigns())

    def go_on(self, _: object) -> None:
        """End the wait: the bot has answered, or the pause is over."""
        self.deadline = None

    def refuse(self, data: bytes) -> None:
        self.blame(BotFault("bad_output", shown(data), '"OK"'))

    def blame_silence(self, _: object) -> None:
        self.blame(BotFault("stall", "", f'"OK" within {ACK_S:g} s'))

    def blame(self, fault: BotFault) -> None:
        self._buffer = ValueBuffer(BEGINNINGS)
        self._kept.clear()
        self._next.clear()
        self.deadline = None
        self.events.append(fault)

    # -- news ----------------------------------------------------------------------------------------------------------

    def greet(self, _: object) -> None:
        """Begin a match; bad input between two matches is forgiven."""
        if self._buffer.overlong is not None:
            self._buffer = ValueBuffer(BEGINNINGS)
        self._send(self._new_game(self._names[1 - self._seat]))

    def ask(self, position: SantoriniPosition) -> None:
        """Send a request; it has no deadline except the clock of the match."""
        self.out += write_value(self._place(position) if position.is_placing else self._turn(position))

    def conclude(self, ended: Ended) -> None:
        self.forget(ended)
        if ended.winner is not None:
            self._note(ended.winner, ended.termination)
        if ended.last:
            self.finish(None)

    def conclude_asked(self, ended: Ended) -> None:
        self.conclude(ended)
        self.deadline = Deadline("ack", ACK_S)

    def conclude_unplayed(self, ended: Ended) -> None:
        """End a match that the bot was not told of."""
        self.forget(ended)
        if ended.last:
            self.finish(None)

    def forget(self, _: object) -> None:
        """Drop everything that belongs to the match that is over: waiting events, and values kept for its requests."""
        self._kept.clear()
        self._ignored = 0
        self._next = deque(entry for entry in self._next if entry[0] not in (_E.STARTED, _E.TURN))
        self._position = None

    def tell(self, value: object) -> None:
        self._send_result(value)

    def tell_all(self, _: object) -> None:
        """Send the results, of a long series only the newest: a value longer than one read breaks known clients."""
        while len(write_value(self._all_results())) > READ:
            del self._results[0]
        self._send_result(self._all_results())

    def finish(self, _: object) -> None:
        """Send all results as the last value, if there are any."""
        if self._tells_results():
            self._end_with(_E.RESULTS)
        else:
            self._step(_E.NO_RESULTS)

    def leave(self, _: object) -> None:
        """Close after everything about a finished match has been sent."""
        self._end_with(_E.BYE)

    def close(self, _: object) -> None:
        """Close the connection; no more answers are expected."""
        self.deadline = None
        self.wants_close = True

    def _end_with(self, event: SantoriniEvent) -> None:
        if not any(waits in (_E.RESULTS, _E.BYE) for waits, _ in self._next):
            self._next.append((event, None))

    def _send(self, value: object) -> None:
        self.out += write_value(value)
        self.deadline = (
            Deadline("ack", ACK_S) if self.pause_s is None else Deadline("pause", self.pause_s, once_read=True)
        )

    def _send_result(self, value: object) -> None:
        """Send a value about a match that is over. A bot whose input has ended only needs to read it."""
        self._send(value)
        if self._is_finished:
            self.await_reading()

    def await_reading(self) -> None:
        """Wait until the last value is read, and for no answer."""
        self.deadline = Deadline("pause", PAUSE_S, once_read=True)


@cache
def later(event: SantoriniEvent) -> Transition:
    """A transition that keeps the event until the bot has answered; repeated events are kept once."""

    def wait(bot: SantoriniActions, said: object) -> None:
        if all(waits is not event for waits, _ in bot._next):
            bot._next.append((event, said))

    wait.__name__ = "later"
    return Transition(action=wait)
