"""What programs on their own stdin and stdout share: they are asked, and the next line is the answer.

What comes before it is asked for is kept in order and answers the next requests, as the original runners read it from
their pipe. Whether it is an answer at all is judged when a request meets it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque

from arena.protocols.adapter import Adapter, BotFault, BotMove, Closed, Ready
from arena.protocols.framing import LINE_CAP, LineBuffer, shown
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import ClassVar, Self

# Answers that are kept for requests to come; with lines of LINE_CAP bytes they are 32 KiB at most.
MOST_AHEAD = 64


class AnsweringState:
    """Where the conversation stands."""

    IDLE = "idle"  # not asked
    ASKED = "asked"  # the next line is the answer
    JUDGING = "judging"  # an answer is with the referee
    OVER = "over"  # a match has ended and the next has not begun: what comes is too late
    DEAF = "deaf"  # the bot broke the protocol, or all is over: what it says no longer counts


class Answering(Adapter):
    """One program, ready at once: these protocols have no greeting.

    Class facts: `line_end` of what the bot sends; `answer`, what one is, in words; `request`, what asks for one.
    """

    keeps_answers = True
    line_end: ClassVar[str]
    answer: ClassVar[str]
    request: ClassVar[str]

    # `_ended`: its input has, and what it had said ahead has not answered everything yet.
    __slots__ = ("_buffer", "_ended", "_kept", "_received", "_state")

    _state: str
    _buffer: LineBuffer
    _received: bytes
    _kept: deque[bytes]
    _ended: bool

    def __new__(cls) -> Self:
        made = super().__new__(cls)
        made._state = AnsweringState.IDLE
        made._buffer = LineBuffer(cls.line_end)
        made._received = b""
        made._kept = deque()
        made._ended = False
        made._events.append(Ready())
        return made

    @property
    def ahead(self) -> tuple[bytes, ...]:
        return tuple(self._kept)

    @staticmethod
    @abstractmethod
    def move_in(line: bytes) -> str:
        """The move as the rules write it; empty when the line is no answer."""

    def receive_data(self, data: bytes) -> None:
        if self._state == AnsweringState.DEAF:
            return
        for line in self._buffer.feed(data):
            self._line(line)
        if self._buffer.overlong is not None:
            self._blame("bad_output", self._buffer.overlong, f"{self.answer}; {LINE_CAP} bytes at most")

    def receive_eof(self) -> None:
        """A last answer without its newline is still one, and what was said ahead still answers: the originals read
        both from their pipe.
        """
        rest = self._buffer.finish()
        if self.move_in(rest):
            self._line(rest)
        self._ended = True
        self._close_when_spent()

    def _close_when_spent(self) -> None:
        """After its last words, those that were kept too."""
        if self._ended and not self._kept:
            self._ended = False
            self._events.append(Closed())

    def _listen(self) -> None:
        """From now on the next line is the answer: the oldest of those that came ahead, if there are any."""
        self._state = AnsweringState.ASKED
        if self._kept:
            self._read(self._kept.popleft())
            self._close_when_spent()

    def _rest(self) -> None:
        """A match is over: what was said ahead in it answers nothing in the next."""
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
        self._events.append(BotMove(move))

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
            self._events.append(BotFault(code, shown(received), expected, move))
            self._close_when_spent()
