"""The common base for programs on their own stdin and stdout: each request is answered with the next line.

Lines sent before a request are kept in order and answer the next requests, as the original runners read them from
their pipe. A line is only judged when it answers a request.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque

from arena.protocols.adapter import Adapter, BotFault, BotMove, Closed, Ready
from arena.protocols.framing import LINE_CAP, LineBuffer, shown
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import ClassVar, Self

# How many answers are kept for coming requests; with lines of LINE_CAP bytes they take 32 KiB at most.
MOST_AHEAD = 64


class AnsweringState:
    """The states of the conversation."""

    IDLE = "idle"  # not asked
    ASKED = "asked"  # the next line is the answer
    JUDGING = "judging"  # an answer is with the referee
    OVER = "over"  # a match has ended and the next has not begun: lines come too late
    DEAF = "deaf"  # the bot broke the protocol, or everything is over: input is ignored


class Answering(Adapter):
    """One program, ready at once, without a greeting. `line_end` is that of its lines, `answer` what an answer is and
    `request` what asks for one, in words.
    """

    says_the_end = False
    keeps_answers = True
    line_end: ClassVar[str]
    answer: ClassVar[str]
    request: ClassVar[str]

    # `_ended`: the bot's input has ended, but kept lines have yet to answer requests; `_cut`: the last of its lines has
    # no end.
    __slots__ = ("_buffer", "_cut", "_ended", "_kept", "_received", "_state")

    _state: str
    _buffer: LineBuffer
    _received: bytes
    _kept: deque[bytes]
    _ended: bool
    _cut: bool

    def __new__(cls) -> Self:
        made = super().__new__(cls)
        made._state = AnsweringState.IDLE
        made._buffer = LineBuffer(cls.line_end)
        made._received = b""
        made._kept = deque()
        made._ended = made._cut = False
        made.events.append(Ready())
        return made

    @property
    def ahead(self) -> tuple[bytes, ...]:
        return tuple(self._kept)

    @staticmethod
    @abstractmethod
    def move_in(line: bytes) -> str:
        """The move in the notation of the rules; "" if the line is no answer."""

    def receive_data(self, data: bytes) -> None:
        if self._state == AnsweringState.DEAF:
            return
        for line in self._buffer.feed(data):
            self._line(line)
        if self._buffer.overlong is not None:
            self._blame("bad_output", self._buffer.overlong, f"{self.answer}; {LINE_CAP} bytes at most")

    def receive_eof(self) -> None:
        """Accept a last answer without a newline and go on with kept lines, as the original runners do on a pipe."""
        rest = self._buffer.finish()
        if self.move_in(rest):
            self._cut = True
            self._line(rest)
        self._ended = True
        self._close_when_spent()

    def _close_when_spent(self) -> None:
        """Report the end of the input once no kept lines are left."""
        if self._ended and not self._kept:
            self._ended = False
            self.events.append(Closed())

    def _listen(self) -> None:
        """Take the next line as the answer: the oldest kept line if there is one."""
        self._state = AnsweringState.ASKED
        if self._kept:
            self._read(self._kept.popleft())
            self._close_when_spent()

    def _rest(self) -> None:
        """End a match: lines kept in it answer nothing in the next."""
        self._kept.clear()
        self._state = AnsweringState.OVER
        self._close_when_spent()

    def _line(self, line: bytes) -> None:
        if self._state == AnsweringState.ASKED:
            self._read(line)
        elif self._state in (AnsweringState.IDLE, AnsweringState.JUDGING):
            self._keep(line)

    def _read(self, line: bytes) -> None:
        move = self.move_in(line)
        if not move:
            self._blame("bad_output", line, self.answer)
            return
        self._state = AnsweringState.JUDGING
        self._received = line
        self.events.append(BotMove(move, not self._cut or bool(self._kept)))

    def _keep(self, line: bytes) -> None:
        self._kept.append(line)
        if len(self._kept) > MOST_AHEAD:
            self._blame("bad_output", line, f"at most {MOST_AHEAD} answers ahead of the next {self.request}")

    def _blame(self, code: str, received: bytes, expected: str) -> None:
        if self._state != AnsweringState.DEAF:
            self._state = AnsweringState.DEAF
            self._buffer = LineBuffer(self.line_end)
            self._kept.clear()
            move = "" if code == "bad_output" else self.move_in(received)
            self.events.append(BotFault(code, shown(received), expected, move))
            self._close_when_spent()
