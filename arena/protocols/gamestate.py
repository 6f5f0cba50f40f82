"""`gamestate` (000): Connect Four 8×8 for a program that is sent boards and asked for a column.

To the bot: `ASSIGN_PLAYER: n` and the board at the start; `GAMESTATE: ` and 64 places, row by row from the top, `X` for
player 0, after every move of either side; `REQUEST_MOVE` when it is to move. From the bot: one digit from 0 to 7 and a
newline, nothing else.

The end is silent, without a last board or an outcome. These programs print something for every line they do not know,
and that would be taken for a move; so nothing that the text does not name is ever sent. What comes while the bot is not
asked is held and dropped with the next request; a second line of it is a move out of turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from arena.protocols.adapter import (
    Adapter,
    Bye,
    Closed,
    Ended,
    Fault,
    Moved,
    Play,
    Ready,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)
from arena.protocols.framing import LINE_CAP, LineBuffer, LineEnd, shown
from games import Position

_DIGIT = re.compile(rb"[0-9]")
_PLACES = str.maketrans(".xo", "-XO")
_EXPECTED = "one digit from 0 to 7 and a newline, nothing else"


class State(Enum):
    """Where the conversation stands."""

    IDLE = auto()  # not asked
    ASKED = auto()  # the next line is the answer
    JUDGING = auto()  # an answer is with the referee
    DEAF = auto()  # the bot broke the protocol, or all is over: what it says no longer counts


@dataclass(slots=True)
class GameState(Adapter):
    """One program. It is ready at once: the protocol has no greeting."""

    slug = "gamestate"
    title = "Connect Four 8×8 (GAMESTATE)"
    variants = ("connect-four-8x8",)
    on_illegal = "lose"
    port = 4200

    _state: State = field(default=State.IDLE, init=False)
    _buffer: LineBuffer = field(default_factory=lambda: LineBuffer(LineEnd.LF), init=False, repr=False)
    _seat: int = field(default=0, init=False)
    _held: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._events.append(Ready())

    # -- from the bot --------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        if self._state is State.DEAF:
            return
        for line in self._buffer.feed(data):
            self._line(line)
        if self._buffer.overlong is not None:
            self._blame("bad_output", self._buffer.overlong, f"{_EXPECTED}; {LINE_CAP} bytes at most")

    def receive_eof(self) -> None:
        """A digit without its newline is still an answer: the original read it so."""
        rest = self._buffer.finish()
        if self._state is State.ASKED and _move(rest):
            self._read_answer(rest)
        self._events.append(Closed())

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
        self._events.append(Play(move))

    def _hold(self, line: bytes) -> None:
        self._held += 1
        if self._held > 1:
            self._blame("out_of_turn", line, "one line for each REQUEST_MOVE")

    def _blame(self, code: str, received: bytes, expected: str) -> None:
        if self._state is not State.DEAF:
            self._state = State.DEAF
            self._buffer = LineBuffer(LineEnd.LF)
            self._events.append(Fault(code, shown(received), expected, _move(received)))

    # -- to the bot ----------------------------------------------------------------------------------------------------

    def send(self, event: ToBot) -> None:
        if self.wants_close:
            return
        match event:
            case Seated(seat=seat):
                self._seat = seat
            case Started(position=position):
                self._state = State.IDLE
                self._say(f"ASSIGN_PLAYER: {self._seat}")
                self._say_board(position)
            case Moved():
                self._moved(event)
            case Turn():
                self._ask()
            case Refused(code=code) if self._state is State.JUDGING:
                self._refused(code)
            case Ended(last=False):
                self._state = State.IDLE
            case Ended() | Bye():
                self._state = State.DEAF
                self.wants_close = True

    def _moved(self, moved: Moved) -> None:
        if self._state is State.JUDGING:
            self._state = State.IDLE
        if moved.position.to_move is not None:
            self._say_board(moved.position)

    def _ask(self) -> None:
        """What came before a request never answers it. A turn that goes on is not asked for twice."""
        if self._state in (State.IDLE, State.JUDGING):
            self._buffer.clear()
            self._held = 0
            self._state = State.ASKED
            self._say("REQUEST_MOVE")

    def _refused(self, code: str) -> None:
        """Too busy to judge it: ask again. After any other refusal the turn is not the bot's any more."""
        if code == "busy":
            self._ask()
        else:
            self._state = State.IDLE

    def _say_board(self, position: Position) -> None:
        _, places = str(position).split(" ", 1)
        self._say(f"GAMESTATE: {places.translate(_PLACES)}")

    def _say(self, line: str) -> None:
        self._out += f"{line}\n".encode()


def _move(line: bytes) -> str:
    """The column as the rules write it, counted from 1; empty when the line is no digit."""
    return str(int(line) + 1) if _DIGIT.fullmatch(line) else ""
