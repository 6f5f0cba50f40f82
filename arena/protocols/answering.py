"""What programs on their own stdin and stdout share: they are asked, and the next line is the answer.

What comes while the program is not asked is held and dropped with the next request, since a move computed blind would
else be taken for an answer; a second line of it is a move out of turn.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import ClassVar

from arena.protocols.adapter import Adapter, Closed, Fault, Play, Ready
from arena.protocols.framing import LINE_CAP, LineBuffer, LineEnd, shown


class State(Enum):
    """Where the conversation stands."""

    IDLE = auto()  # not asked
    ASKED = auto()  # the next line is the answer
    JUDGING = auto()  # an answer is with the referee
    DEAF = auto()  # the bot broke the protocol, or all is over: what it says no longer counts


@dataclass(slots=True)
class Answering(Adapter):
    """One program, ready at once: these protocols have no greeting.

    Class facts: `line_end` of what the bot sends; `answer`, what one is, in words; `one_line_for`, what asks for it.
    """

    line_end: ClassVar[LineEnd]
    answer: ClassVar[str]
    one_line_for: ClassVar[str]

    _state: State = field(default=State.IDLE, init=False)
    _buffer: LineBuffer = field(init=False, repr=False)
    _received: bytes = field(default=b"", init=False)
    _held: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._buffer = LineBuffer(self.line_end)
        self._events.append(Ready())

    @staticmethod
    @abstractmethod
    def move_in(line: bytes) -> str:
        """The move as the rules write it; empty when the line is no answer."""

    def receive_data(self, data: bytes) -> None:
        if self._state is State.DEAF:
            return
        for line in self._buffer.feed(data):
            self._line(line)
        if self._buffer.overlong is not None:
            self._blame("bad_output", self._buffer.overlong, f"{self.answer}; {LINE_CAP} bytes at most")

    def receive_eof(self) -> None:
        """A last answer without its newline is still one: the originals read it so."""
        rest = self._buffer.finish()
        if self._state is State.ASKED and self.move_in(rest):
            self._read(rest)
        self._events.append(Closed())

    def _listen(self) -> None:
        """From now on the next line is the answer, and nothing that came before."""
        self._buffer.clear()
        self._held = 0
        self._state = State.ASKED

    def _line(self, line: bytes) -> None:
        if self._state is State.ASKED:
            self._read(line)
        elif self._state is not State.DEAF:
            self._hold(line)

    def _read(self, line: bytes) -> None:
        move = self.move_in(line)
        if not move:
            self._blame("bad_output", line, self.answer)
            return
        self._state = State.JUDGING
        self._received = line
        self._events.append(Play(move))

    def _hold(self, line: bytes) -> None:
        self._held += 1
        if self._held > 1:
            self._blame("out_of_turn", line, f"one line for each {self.one_line_for}")

    def _blame(self, code: str, received: bytes, expected: str) -> None:
        if self._state is not State.DEAF:
            self._state = State.DEAF
            self._buffer = LineBuffer(self.line_end)
            move = "" if code == "bad_output" else self.move_in(received)
            self._events.append(Fault(code, shown(received), expected, move))
