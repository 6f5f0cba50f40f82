"""`fiar` (001): Connect Four 7×6 for a strategy that reads a board and writes a column.

To the mover only, each time it is asked: its sign (`@` moves first), a space, the 42 places from top left to bottom
right, a newline. From the bot: a column from 1 to 7 and a newline. Nothing else goes over the wire, not even the end.

An illegal column is answered with the same line again, as in the original, at most 11 times a turn. Text instead of a
number loses: the original stopped there without a result. What comes while the bot is not asked is held and dropped
with the next request; a second line of it is a move out of turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from arena.protocols.adapter import Adapter, Bye, Closed, Ended, Fault, Play, Ready, Refused, ToBot, Turn
from arena.protocols.framing import LINE_CAP, LineBuffer, LineEnd, shown
from games import Position

ASKS_PER_TURN = 11
# The original read with Python's int(): blanks, a sign and leading zeros stay good; `4_0` and other alphabets do not.
_NUMBER = re.compile(rb"[ \t\r]*([+-]?0*[0-9]{1,9})[ \t\r]*")
_SIGNS = str.maketrans("xo", "@O")
_EXPECTED = "a column from 1 to 7 and a newline"
# Refusals that leave the turn where it is; after any other the turn is not the bot's any more.
_ASK_AGAIN = frozenset({"illegal_move", "invalid_move", "busy"})


class State(Enum):
    """Where the conversation stands."""

    IDLE = auto()  # not asked
    ASKED = auto()  # the next line is the answer
    JUDGING = auto()  # an answer is with the referee
    DEAF = auto()  # the bot broke the protocol, or all is over: what it says no longer counts


@dataclass(slots=True)
class Fiar(Adapter):
    """One strategy. It is ready at once: the protocol has no greeting."""

    slug = "fiar"
    title = "Four In A Row (fiar)"
    variants = ("connect-four-7x6",)
    on_illegal = "ask_again"
    keeps = True
    port = 4201

    _state: State = field(default=State.IDLE, init=False)
    _buffer: LineBuffer = field(default_factory=lambda: LineBuffer(LineEnd.CRLF), init=False, repr=False)
    _request: bytes = field(default=b"", init=False)
    _asks: int = field(default=0, init=False)
    _answer: bytes = field(default=b"", init=False)
    _held: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._events.append(Ready())

    def receive_data(self, data: bytes) -> None:
        if self._state is State.DEAF:
            return
        for line in self._buffer.feed(data):
            self._line(line)
        if self._buffer.overlong is not None:
            self._blame("bad_output", self._buffer.overlong, f"{_EXPECTED}, {LINE_CAP} bytes at most")

    def receive_eof(self) -> None:
        """A last number without its newline is still an answer: the original read it so."""
        rest = self._buffer.finish()
        if self._state is State.ASKED and _move(rest):
            self._read_answer(rest)
        self._events.append(Closed())

    def send(self, event: ToBot) -> None:
        if self.wants_close:
            return
        match event:
            case Turn(position=position) if position.to_move is not None:
                self._ask(position)
            case Refused(code=code) if self._state is State.JUDGING:
                self._refused(code)
            case Ended(last=False):
                self._state = State.IDLE
            case Ended() | Bye():
                self._state = State.DEAF
                self.wants_close = True

    def _ask(self, position: Position) -> None:
        _, places = str(position).split(" ", 1)
        sign = "@O"[position.to_move or 0]
        self._request = f"{sign} {places.translate(_SIGNS)}\n".encode()
        self._asks = 0
        self._ask_again()

    def _ask_again(self) -> None:
        """What came before a request never answers it: a move computed blind would else be taken for one."""
        self._buffer.clear()
        self._held = 0
        self._asks += 1
        self._state = State.ASKED
        self._out += self._request

    def _refused(self, code: str) -> None:
        if code not in _ASK_AGAIN:
            self._state = State.IDLE
        elif self._asks < ASKS_PER_TURN:
            self._ask_again()
        else:
            self._blame("illegal_move", self._answer, f"a column that is free, within {ASKS_PER_TURN} answers")

    def _line(self, line: bytes) -> None:
        if self._state is State.ASKED:
            self._read_answer(line)
        elif self._state is not State.DEAF:
            self._hold(line)

    def _read_answer(self, line: bytes) -> None:
        move = _move(line)
        if not move:
            self._blame("bad_output", line, _EXPECTED)
            return
        self._state = State.JUDGING
        self._answer = line
        self._events.append(Play(move))

    def _hold(self, line: bytes) -> None:
        self._held += 1
        if self._held > 1:
            self._blame("out_of_turn", line, "one line for each board that was sent")

    def _blame(self, code: str, received: bytes, expected: str) -> None:
        if self._state is not State.DEAF:
            self._state = State.DEAF
            self._buffer = LineBuffer(LineEnd.CRLF)
            self._events.append(Fault(code, shown(received), expected, _move(received)))


def _move(line: bytes) -> str:
    """The column as the rules write it; empty when the line is no number."""
    number = _NUMBER.fullmatch(line)
    return str(int(number[1])) if number else ""
